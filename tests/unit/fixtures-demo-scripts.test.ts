import { expect, test } from 'vitest'
import { readRecord } from '../../app/import/read-record.ts'
import { libraryAdvisories } from '../../app/import/record-types/library-advisories.ts'
import { libraryFiles } from '../../app/import/record-types/library-files.ts'
import { scriptCaptures } from '../../app/import/record-types/script-captures.ts'
import { scriptDecisions } from '../../app/import/record-types/script-decisions.ts'
import { isRefusal } from '../../app/import/refusal.ts'
import { demoPosts } from '../../fixtures/demo-posts.ts'
import { shopScenario } from '../../fixtures/demo-scenarios.ts'
import {
  demoLibraryAdvisories,
  demoLibraryFiles,
  demoScriptCaptures,
  demoScriptDecisions,
} from '../../fixtures/demo-script-records.ts'
import { demoTenant, otherTenant } from '../../fixtures/demo-tenants.ts'
import { captureStates, integrityModes } from '../../schema/scripts.ts'

const now = new Date('2026-07-15T03:59:00.000Z')
const decisions = demoScriptDecisions(demoTenant, now)
const captures = demoScriptCaptures(demoTenant)

const sightings = [...demoPosts({ scenario: shopScenario, now })]
  .filter((line) => line.includes('"csp-hash"'))
  .flatMap((line) => [JSON.parse(line).body].flat())
  .filter(({ type }) => type === 'csp-hash')
  .map(({ body }) => ({ url: body.subresourceURL.replace(/\?.*/, ''), hash: body.hash }))

test('the import takes every record', () => {
  const all = [
    ...decisions.map((one) => readRecord(scriptDecisions, JSON.stringify(one), undefined)),
    ...captures.map((one) => readRecord(scriptCaptures, JSON.stringify(one), undefined)),
    ...demoLibraryFiles.map((one) => readRecord(libraryFiles, JSON.stringify(one), undefined)),
    ...demoLibraryAdvisories(now).map((one) => readRecord(libraryAdvisories, JSON.stringify(one), undefined)),
  ]
  expect(all.filter(isRefusal)).toEqual([])
})

test('records are of one tenant, the same for the same moment, and before it', () => {
  expect(demoScriptDecisions(demoTenant, now)).toEqual(decisions)
  expect(decisions.every(({ decidedAt }) => decidedAt < now.toISOString())).toBe(true)
  expect([...demoScriptDecisions(otherTenant, now), ...demoScriptCaptures(otherTenant)]).toEqual([])
})

test('there is every state of a capture, and every way to decide', () => {
  expect(new Set(captures.map(({ state }) => state))).toEqual(new Set(captureStates))
  expect(new Set(decisions.map(({ integrityMode }) => integrityMode))).toEqual(new Set([...integrityModes, null]))
})

test('browsers report what the records are about', () => {
  const seen = new Set(sightings.map(({ url }) => url))
  for (const { url } of [...decisions, ...captures]) expect(seen).toContain(url)
  const hashes = new Set(sightings.map(({ hash }) => hash))
  for (const { hash, url } of captures) if (!url.includes('tagbox')) expect(hashes).toContain(hash)
  for (const { hash } of demoLibraryFiles) expect(hashes).toContain(hash)
  expect(hashes).toContain('')
})
