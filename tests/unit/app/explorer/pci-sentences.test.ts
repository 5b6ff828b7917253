import { expect, test } from 'vitest'
import { utc, verdictsOf } from '../../../../app/explorer/views/pci/sentences.ts'
import { pciGapKinds } from '../../../../schema/pci.ts'
import { requirementText } from '../../../../schema/rules/pci/report-texts.ts'

test.each([
  ['2026-11-26T04:37:00Z', '26 Nov 2026 04:37 UTC'],
  ['zzz', 'zzz'],
  ['', ''],
])('the time of a link %j is shown as %j', (time, shown) => {
  expect(utc(time)).toBe(shown)
})

test('gaps have the sentences and remedies of the report, and facts are its summary and its sums', () => {
  const gaps = pciGapKinds
    .filter((kind) => kind !== 'scripts_not_on_plan')
    .map((kind) => ({ kind, count: 2, eventType: 'page.headers_changed' }))
  const integrity = { protected: 1, unprotected: 2, unknown: 3, measured: true }
  const facts = { paymentPages: 2, scripts: 6, authorized: 3, unreviewed: 2, rejected: 1, integrity }
  const requirement = { id: '6.4.3', status: 'partial', facts, gaps } as const
  const report = requirementText(requirement)
  const [verdict] = verdictsOf({ requirements: [requirement], evidence: { uninventoriedUnprotected: 4 } })
  expect(verdict?.title).toBe(report.title)
  expect(verdict?.sentences.map(({ text, close }) => [text, close])).toEqual([
    ...report.gaps.map(({ sentence, remedy }) => [sentence, remedy]),
    [report.summary, undefined],
    [
      '1 protected + 2 unprotected + 3 unknown = 6 scripts.',
      'Apart from them browsers reported 4 unprotected that the inventory lacks.',
    ],
  ])
})
