import { expect, test } from 'vitest'
import { repeatLines } from '../support/repeat-reporter.ts'

const failed = { file: 'tests/unit/a.test.ts', project: 'alone', title: 'a list is sorted', messages: [] }

test('a failed test is repeated by its command, project, file and title', () => {
  expect(repeatLines(failed)).toBe(
    "a list is sorted\n  npm run test -- --project alone tests/unit/a.test.ts -t 'a list is sorted'",
  )
})

test('a test of a campaign is repeated by the command of campaigns', () => {
  expect(repeatLines({ ...failed, project: 'faults', file: 'tests/faults/import/a.test.ts' })).toContain(
    'npm run test:faults -- --project faults tests/faults/import/a.test.ts ',
  )
})

test('the seed that a property printed is named', () => {
  const messages = ['Property failed after 3 tests\n{ seed: -1203, path: "2:1", endOnFailure: true }']
  expect(repeatLines({ ...failed, messages })).toContain('\n  SEED=-1203 npm run test ')
})

test('a title is quoted for the shell and as a regular expression', () => {
  expect(repeatLines({ ...failed, title: "a tenant's (last) page?" })).toContain(
    "-t 'a tenant'\\''s \\(last\\) page\\?'",
  )
})
