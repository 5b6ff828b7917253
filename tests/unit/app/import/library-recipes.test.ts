import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { libraryAdvisories } from '../../../../app/import/records/types/library-advisories.ts'
import { libraryFiles } from '../../../../app/import/records/types/library-files.ts'
import { ensureInstalled } from '../../../support/ensure-installed.ts'
import { hashOf, packageFiles, vulnerabilities } from '../../../support/library-sources.ts'

const page = readFileSync(new URL('../../../../app/import/libraries.md', import.meta.url), 'utf8')
const [filesFilter = '', advisoriesFilter = ''] = [...page.matchAll(/jq -c (?:--arg name jquery )?'(.*?)' >/gs)].map(
  ([, filter]) => filter,
)

function run(filter: string, input: unknown): unknown[] {
  const args = ['-c', '--arg', 'name', 'jquery', filter]
  const { stdout, stderr } = spawnSync(ensureInstalled('jq'), args, { encoding: 'utf8', input: JSON.stringify(input) })
  expect(stderr).toBe('')
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('the recipe of files makes lines of "import library"', () => {
  const lines = run(filesFilter, packageFiles('jquery@3.4.1', { 'dist/jquery.min.js': 'bytes', LICENSE: 'MIT' }))
  const line = { hash: hashOf('bytes'), name: 'jquery', version: '3.4.1', path: 'dist/jquery.min.js', catalog: 'npm' }
  expect(lines).toEqual([line])
  expect(libraryFiles.schema.safeParse(line).success).toBe(true)
})

test('the recipe of advisories makes a line of "import advisories"', () => {
  const [line] = run(advisoriesFilter, { vulns: vulnerabilities.jquery })
  expect(line).toMatchObject({
    catalog: 'npm',
    package: 'jquery',
    advisories: [
      { id: 'GHSA-gxr4-xjj5-5px2', severity: 'medium', ranges: [{ introduced: '1.2.0', fixed: '3.5.0' }] },
      { id: 'GHSA-6c3j-c64m-qhgq', severity: null },
    ],
  })
  expect(libraryAdvisories.schema.safeParse(line).error).toBeUndefined()
  expect(libraryAdvisories.schema.safeParse(run(advisoriesFilter, {})[0]).success).toBe(true)
})
