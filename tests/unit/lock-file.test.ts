import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const path = new URL('../../package-lock.json', import.meta.url)
const lockFile = readFileSync(path, 'utf8')
const { packages } = JSON.parse(lockFile) as { packages: Record<string, { readonly integrity?: string }> }
const installed = Object.entries(packages).filter(([folder]) => folder !== '')

/** The registry had none of these when the lock file was last written. */
const withoutIntegrity = ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu'].map((of) => `node_modules/@chdb/lib-${of}`)

test('the lock file has the integrity of every package of every platform', () => {
  const missing = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
  expect(missing.map(([folder]) => folder)).toEqual(withoutIntegrity)
})

test('the lock file names no registry', () => {
  expect(lockFile).not.toMatch(/"resolved"|registry\./)
})
