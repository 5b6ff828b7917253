import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { libraryAdvisories } from '../../../app/import/records/types/library-advisories.ts'
import { libraryFiles } from '../../../app/import/records/types/library-files.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import {
  daysAgo,
  decision,
  hashed,
  hashOf,
  importLines,
  now,
  run,
  type ScriptSites,
  sighting,
  startScriptSites,
  urlOf,
} from '../../support/script-sites.ts'

const folder = mkdtempSync(join(tmpdir(), 'scripts-records-'))

let sites: ScriptSites

beforeAll(async () => {
  sites = await startScriptSites()
})
afterAll(async () => {
  await sites?.api.close()
  rmSync(folder, { recursive: true })
})

describe('decisions', () => {
  test('are never changed: the same id again must have the same content', async () => {
    const site = await sites.create()
    await sites.api.insertReports([sighting(site, 'a', 1)])
    const words = ['decisions', '--tenant', site.tenantId]
    const first = decision(site, 'a', 3)
    const done = { code: 0, result: { records: 1, stored: 1, rejected: 0 } }
    expect(await importLines(folder, words, [first])).toMatchObject(done)
    expect(await importLines(folder, words, [first])).toMatchObject(done)
    for (const change of [
      { status: 'rejected', integrityMode: null },
      { justification: 'because' },
      { decidedAt: new Date(now).toISOString() },
      { decidedBy: { name: 'Eve', email: 'ada@example.test' } },
      { url: urlOf('b') },
      { integrityMode: 'pinned_hashes', pinnedHashes: [hashOf(1)] },
    ]) {
      const changed = await importLines(folder, words, [{ ...first, ...change }])
      expect(changed).toMatchObject({ code: 1, result: { records: 1, stored: 0, rejected: 1 } })
    }
    const script = await sites.script(site, 'a')
    expect(script).toMatchObject({ status: 'authorized', decisions: [{ id: first.id, decidedBy: first.decidedBy }] })
  })

  test('are all returned, oldest first, and the last one counts', async () => {
    const site = await sites.create()
    await sites.api.insertReports([sighting(site, 'a', 1)])
    const made = [decision(site, 'a', 1, { status: 'rejected', integrityMode: null }), decision(site, 'a', 9)]
    await sites.api.importRecords(site.tenantId, scriptDecisions, made)
    const script = await sites.script(site, 'a')
    expect(script.decisions.map(({ id }: { id: string }) => id)).toEqual(made.map(({ id }) => id).reverse())
    expect(script).toMatchObject({ status: 'rejected', integrityMode: null, decidedAt: made[0]?.decidedAt })
  })

  test('of one moment are in the order of their ids, whichever was imported first', async () => {
    const site = await sites.create()
    await sites.api.insertReports([sighting(site, 'a', 1)])
    const end = crypto.randomUUID().slice(9, -1)
    const ids = ['1a', '1b', '2a', '2b'].map(([first, last]) => `${first?.repeat(8)}-${end}${last}`)
    for (const id of ids.toReversed()) {
      await sites.api.importRecords(site.tenantId, scriptDecisions, [decision(site, 'a', 1, { id })])
    }
    const { decisions } = await sites.script(site, 'a')
    expect(decisions.map(({ id }: { id: string }) => id)).toEqual(ids)
  })

  test('list a script that was never seen', async () => {
    const site = await sites.create()
    await sites.api.importRecords(site.tenantId, scriptDecisions, [decision(site, 'never', 9)])
    const { data } = await sites.list(site)
    expect(data.map(({ url }) => url)).toEqual([urlOf('never')])
    expect(data[0]).toMatchObject({ firstSeenAt: null, lastSeenAt: null, hashes: [] })
  })
})

describe('public libraries', () => {
  const file = (text: string, name: string) => ({
    hash: hashOf(text),
    name,
    version: '1.0.0',
    path: 'a.js',
    catalog: run,
  })
  const check = (name: string, days: number, advisories: readonly object[]) => ({
    catalog: run,
    package: name,
    checkedAt: daysAgo(days),
    advisories,
  })
  const advisory = {
    id: 'A-1',
    ranges: [{ introduced: '1.0.0', fixed: '1.1.0' }],
    url: 'https://advisories.example.test/A-1',
    modifiedAt: '2026-01-01T00:00:00.000Z',
  }

  test('of a hash the first identity counts', async () => {
    expect(await importLines(folder, ['library'], [file('first', 'one')])).toMatchObject({ code: 0 })
    expect(await importLines(folder, ['library'], [file('first', 'other')])).toMatchObject({
      code: 1,
      result: { rejected: 1 },
    })
    const site = await sites.create()
    await sites.api.insertReports([sighting(site, 'a', 1, hashed('first'))])
    expect((await sites.script(site, 'a')).identification.package).toMatchObject({ name: 'one' })
  })

  test('of two checks the later counts, in whichever order they are imported', async () => {
    const site = await sites.create()
    await sites.api.importRecords(undefined, libraryFiles, [file('checked', 'checked')])
    await sites.api.insertReports([sighting(site, 'a', 1, hashed('checked'))])
    for (const [days, found] of [
      [5, [advisory]],
      [9, []],
    ] as const) {
      await sites.api.importRecords(undefined, libraryAdvisories, [check('checked', days, found)])
      const { advisories } = await sites.script(site, 'a')
      expect(advisories).toMatchObject({ state: 'affected', checkedAt: daysAgo(5) })
      expect(advisories.items).toMatchObject([{ id: 'A-1', severity: 'unknown', fixedIn: '1.1.0', catalog: run }])
    }
  })

  test('take thousands of files at once', async () => {
    const files = Array.from({ length: 2_500 }, (_, index) => file(`many ${index}`, 'many'))
    expect(await importLines(folder, ['library'], files)).toMatchObject({ code: 0, result: { stored: 2_500 } })
    expect(await importLines(folder, ['library'], files)).toMatchObject({ code: 0, result: { stored: 2_500 } })
  })
})

test('a capture changes from pending to its outcome, and not back', async () => {
  const site = await sites.create()
  await sites.api.insertReports([sighting(site, 'a', 1, hashed('captured'))])
  const requested = {
    siteId: site.siteId,
    url: urlOf('a'),
    hash: hashOf('captured'),
    source: 'scan',
    fetchedUrl: `${urlOf('a')}?v=1`,
  }
  const words = ['captures', '--tenant', site.tenantId]
  expect(await importLines(folder, words, [{ ...requested, state: 'pending' }])).toMatchObject({ code: 0 })
  expect((await sites.script(site, 'a')).hashes[0].capture).toMatchObject({ state: 'pending', size: null })
  expect(
    await importLines(folder, words, [{ ...requested, state: 'captured', size: 10, finalUrl: urlOf('a') }]),
  ).toMatchObject({
    code: 0,
  })
  const { siteId: _, url: __, hash: ___, ...response } = requested
  const captured = {
    ...response,
    state: 'captured',
    reason: null,
    finalUrl: urlOf('a'),
    receivedHash: null,
    size: 10,
    reused: false,
  }
  expect((await sites.script(site, 'a')).hashes[0].capture).toEqual(captured)
  expect(await importLines(folder, words, [{ ...requested, state: 'pending' }])).toMatchObject({
    code: 0,
    result: { records: 1, stored: 1, rejected: 0 },
  })
  expect(await importLines(folder, words, [{ ...requested, state: 'interrupted' }])).toMatchObject({
    code: 1,
    result: { records: 1, stored: 0, rejected: 1 },
  })
  expect((await sites.script(site, 'a')).hashes[0].capture).toEqual(captured)
})
