/** @module Data folders of released versions: what is stored in one, and the responses of every later version over it. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

export const dataFolders = fileURLToPath(new URL('../../fixtures/data-folders', import.meta.url))

const items = z.array(z.record(z.string(), z.unknown()))

/** Computed by oracles from the rows that were stored, without SQL. */
const contents = z.object({
  /** Time of the requests: the latest report is older. */
  now: z.iso.datetime(),
  /** A key without an end within this century. */
  key: z.string(),
  /** Rows by table, as FINAL counts them. */
  rows: z.record(z.string(), z.int()),
  /** Members of responses, by path. */
  responses: z.record(z.string(), z.unknown()),
  /** Every item of a list in its order, with some of its members. */
  lists: z.record(z.string(), items),
})

export type DataFolderContents = z.infer<typeof contents>

/** Versions whose data folder is a fixture. */
export const folderVersions = (): string[] =>
  readdirSync(dataFolders)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))

export const readContents = (version: string): DataFolderContents =>
  contents.parse(JSON.parse(readFileSync(join(dataFolders, `${version}.json`), 'utf8')))

/** A copy of the folder for a test to open. */
export function unpackFolder(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'data-folder-'))
  execFileSync('tar', ['--extract', '--gzip', '--file', join(dataFolders, `${version}.tar.gz`), '--directory', folder])
  return folder
}
