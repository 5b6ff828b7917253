import { expect, test } from 'vitest'
import { listLibraryChecks } from '../../../../queries/scripts/libraries.ts'
import { chunksOf } from '../../../../queries/sql/rows.ts'

test('chunks keep the list’s order, and none is too long or empty', () => {
  expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(chunksOf([1, 2], 2)).toEqual([[1, 2]])
  expect(chunksOf([], 2)).toEqual([])
})

test('libraries are read at most 500 a query, each once', () => {
  const ids = Array.from({ length: 1_100 }, (_, index) => `npm lib${index}`)
  const requested = listLibraryChecks(ids).map(({ statement }) => statement.values.flatMap(({ value }) => value))
  expect(requested.map((some) => some.length)).toEqual([500, 500, 100])
  expect(requested.flat()).toEqual(ids)
  expect(listLibraryChecks([])).toEqual([])
})
