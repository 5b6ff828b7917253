import { expect, test } from 'vitest'
import { filesThatRun } from '../support/skipped-files.ts'

test('files that run a program are found by what they import', () => {
  expect(filesThatRun('chromium')).toContain('tests/engine/explorer/keyboard.test.ts')
  expect(filesThatRun('chromium')).not.toContain('tests/contract/isolation.test.ts')
  expect(filesThatRun('promtool')).toContain('tests/engine/monitoring/alerts.test.ts')
})
