#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** A package has its programs built; a checkout builds them from their sources. */
async function findPrograms() {
  if (!existsSync(new URL('cli.ts', import.meta.url))) return new URL('../dist/', import.meta.url)
  const { buildForThisUser } = await import('./build.js')
  return pathToFileURL(`${await buildForThisUser(['app/cli.ts'])}/`)
}

await import(new URL('cli.js', await findPrograms()))
