import { expect, test } from 'vitest'
import { panelPaths } from '../../bench/dashboard-load.ts'

const readTwice = (windows: 'last' | 'moving' | 'named') => {
  let now = Date.UTC(2026, 10, 26)
  const pathAt = panelPaths(windows, () => now)
  const first = Array.from({ length: 6 }, (_, index) => pathAt(index))
  now += 1
  return [first, Array.from({ length: 6 }, (_, index) => pathAt(6 + index))] as const
}

test('the panels of a dashboard repeat, with windows of a day and of a week', () => {
  const [first, second] = readTwice('last')
  expect(second).toEqual(first)
  expect(first.map((path) => /last=(\w+)/.exec(path)?.[1])).toEqual(['7d', '1d', '7d', '7d', '1d', '7d'])
})

test('windows named by their ends repeat, moving ones do not', () => {
  const [first, second] = readTwice('named')
  expect(second).toEqual(first)
  expect(first[1]).toContain('from=2026-11-25T00:00:00.000Z&to=2026-11-26T00:00:00.000Z')
  const [before, after] = readTwice('moving')
  expect(before).toEqual(first)
  for (const path of after) expect(before).not.toContain(path)
})
