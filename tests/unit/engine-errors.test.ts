import { expect, test } from 'vitest'
import { toEngineError } from '../../clickhouse/engine/errors.ts'

test.each([
  ['Code: 62. DB::Exception: Syntax error. (SYNTAX_ERROR)', 62, 'SYNTAX_ERROR', 'Syntax error.'],
  ['Code: 47. DB::Exception: No x. (UNKNOWN_IDENTIFIER) (version 26.7.2.1).', 47, 'UNKNOWN_EXCEPTION', 'No x.'],
  [
    'Query failed: Code: 60. DB::Exception: Code: 60. DB::Exception: No (table). (UNKNOWN_TABLE). (UNKNOWN_TABLE)\n',
    ...([60, 'UNKNOWN_TABLE', 'No (table).'] as const),
  ],
  ['something else', 1002, 'UNKNOWN_EXCEPTION', 'something else'],
])('an error of the engine is read without what its layers put around it: %s', (text, code, type, message) => {
  expect(toEngineError(new Error(text))).toMatchObject({ code, type, message })
})

test('a long text of a caller in an error is read in no time to speak of', () => {
  const quoted = `${' '.repeat(300_000)}x${'(AA)'.repeat(100_000)}y`
  const error = toEngineError(new Error(`Code: 62. DB::Exception: ${quoted} (SYNTAX_ERROR)`))
  expect(error).toMatchObject({ code: 62, type: 'SYNTAX_ERROR', message: quoted })
})
