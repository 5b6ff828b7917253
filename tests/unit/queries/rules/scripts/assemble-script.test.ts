import { expect, test } from 'vitest'
import { assembleScript } from '../../../../../queries/rules/scripts/assemble-script.ts'
import type { ScriptDecision } from '../../../../../schema/responses/script.ts'

const decidedAt = '2026-11-01T00:00:00.000Z'
const decided = Date.parse(decidedAt)
const decision: ScriptDecision = {
  ...{ id: '00000000-0000-4000-8000-000000000001', status: 'authorized', integrityMode: 'pinned_hashes' },
  ...{ pinnedHashes: null, justification: null, decidedBy: { name: null, email: 'ada@example.test' }, decidedAt },
}

/** Whether the authorization pins bytes that browsers first reported at some moment. */
function pinned(reportedFrom: number): boolean | undefined {
  const seen = { firstSeenAt: decidedAt, lastSeenAt: decidedAt, lastNewHashAt: decidedAt }
  const version = { hash: 'sha256-a', seenTo: reportedFrom, reportedFrom, scannedFrom: 0 }
  const script = assembleScript(
    {
      siteId: '00000000-0000-4000-8000-000000000002',
      inventoried: { url: 'https://shop.example.test/a.js', ...seen, versions: [version] },
      ...{ decisions: [decision], captures: new Map(), activity: null, violation: undefined, findings: [] },
    },
    {
      ...{ reporting: false, loadingScanOf: () => undefined, identityOf: () => undefined },
      ...{ checkOf: () => undefined, plansAdvisories: false },
    },
  )
  return script.hashes[0]?.pinned
}

test('an authorization without a list pins the hashes seen up to its own time', () => {
  expect([decided - 1, decided, decided + 1].map(pinned)).toEqual([true, true, false])
})
