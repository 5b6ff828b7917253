import { readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { openCliImports } from '../../support/cli-import.ts'
import { queryRows } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'

const { environment, tenants } = openCliImports()

const recipes = readFileSync(new URL('../../../app/import/recipes.md', import.meta.url), 'utf8')

const samples = recipes.split(/^## /m).flatMap((section) => {
  const name = section.slice(0, section.indexOf('\n'))
  return [...section.matchAll(/^```json\n(.*)\n```$/gm)].map(([, line = '']): [string, string] => [name, line])
})

const firefox = ['2026-09-21 09:30:00.123', 'Firefox', 'https://shop.example.com/']

/** Receipt time, browser and page of every sample. */
const stored: Readonly<Record<string, string[]>> = {
  nginx: firefox,
  Vector: firefox,
  'Fluent Bit': firefox,
  'go-csp-collector': ['2026-09-21 09:30:00.000', '', 'https://shop.example.com/'],
}

test('every recipe has a sample', () => {
  expect([...new Set(samples.map(([name]) => name))]).toEqual(Object.keys(stored))
  expect(samples).toHaveLength(recipes.match(/^\{/gm)?.length ?? 0)
})

test.each(samples)('a sample line of %s is one stored report, with its time and user agent', async (name, line) => {
  const tenantId = await tenants.createTenant({ overrides: { retentionDays: 3_650 } })
  await tenants.createSite(tenantId, { hosts: ['shop.example.com'] })
  const { stdout } = await cli(['import', 'reports', '--tenant', tenantId, '-'], {
    environment,
    stdin: line,
  })
  expect(JSON.parse(stdout)).toEqual({
    posts: 1,
    reports: 1,
    stored: 1,
    expired: 0,
    skipped: {},
    unknownMembers: {},
    rejected: 0,
  })
  const database = connectPatiently(inject('servers').readUrl)
  const columns = 'toString(received_at), browser_name, document_url'
  const rows = await queryRows(database, `SELECT ${columns} FROM reports WHERE tenant_id = '${tenantId}'`)
  await database.close()
  expect(rows).toEqual([stored[name]])
})
