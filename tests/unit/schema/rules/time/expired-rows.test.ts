import { expect, test } from 'vitest'
import { dayMs, hourMs } from '../../../../../schema/durations.ts'
import { expiredRows } from '../../../../../schema/rules/time/expired-rows.ts'

/** Noon of day 100. */
const noon = 100.5 * dayMs
const version = (since: number, retentionDays: number) =>
  ({ since, plan: 'business', overrides: { retentionDays } }) as const

/** In days, by the current retention and today. */
function expired(versions: readonly ReturnType<typeof version>[], today: number) {
  const retentionDays = versions.at(-1)?.overrides.retentionDays ?? 0
  const tenant = { entitlements: { retentionDays }, planVersions: versions }
  const found = expiredRows(tenant, (today - retentionDays) * dayMs)
  return found && { before: found.before / dayMs, today: found.today / dayMs }
}

const raised = [version(0, 7), version(noon, 30)]

test.each([
  ['on the day of the raise: days before the shorter retention', 100, 93],
  ['while the shorter retention reaches the raise', 107, 100],
  ['from then on: all up to the end of its day', 108, 101],
  ['on the last day that reaches it', 130, 101],
])('a raise, %s', (_, today, before) => {
  expect(expired(raised, today)).toEqual({ before, today })
})

test('a raise is forgotten when retention has passed it', () => {
  expect(expired(raised, 131)).toBeUndefined()
})

test('neither a lower retention nor an equal one has expired rows', () => {
  expect(expired([version(0, 30), version(noon, 7)], 101)).toBeUndefined()
  expect(expired([version(0, 30), version(noon, 30)], 110)).toBeUndefined()
  expect(expired([version(0, 30)], 110)).toBeUndefined()
})

test('of several raises the last that has expired rows counts', () => {
  const versions = [version(0, 7), version(50 * dayMs, 60), version(noon, 90)]
  expect(expired(versions, 101)).toEqual({ before: 51, today: 101 })
  expect(expired(versions, 120)).toEqual({ before: 60, today: 120 })
  expect(expired(versions, 170)).toEqual({ before: 101, today: 170 })
})

test('a raise just before midnight counts for the next day too, as collectors learn of it', () => {
  expect(expired([version(0, 7), version(101 * dayMs - 1_000, 30)], 120)).toEqual({ before: 102, today: 120 })
  expect(expired([version(0, 7), version(101 * dayMs - hourMs, 30)], 120)).toEqual({ before: 101, today: 120 })
})
