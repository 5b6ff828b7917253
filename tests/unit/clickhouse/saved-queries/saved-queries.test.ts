import { expect, test } from 'vitest'
import {
  findSavedQuery,
  parameterValues,
  readSavedQueries,
} from '../../../../clickhouse/saved-queries/saved-queries.ts'

const queries = await readSavedQueries()

test.each(queries)('$name declares the parameters that its statement has, each once', ({ statement, parameters }) => {
  const used = [...statement.matchAll(/\{(\w+):[^}]+\}/g)].map(([, name]) => name)
  expect(parameters.map(({ name }) => name).sort()).toEqual([...new Set(used)].sort())
})

test('values are the given ones, else the defaults, and NULL for every tenant', () => {
  const bursts = findSavedQuery(queries, 'bursts')
  expect(parameterValues(bursts, { hours: '6' })).toEqual({ tenant: null, hours: '6' })
})

test('an unknown name and an unknown or missing parameter are named, with what is allowed', () => {
  expect(() => findSavedQuery(queries, 'burst')).toThrow(
    /^There is no saved query "burst"; the saved queries are bursts, .*undelivered-alerts$/,
  )
  expect(() => parameterValues(findSavedQuery(queries, 'bursts'), { hour: '6' })).toThrow(
    'bursts has no parameter "hour"; allowed: tenant, hours',
  )
  expect(() => parameterValues(findSavedQuery(queries, 'table-sizes'), { hour: '6' })).toThrow('it has none')
  expect(() => parameterValues(findSavedQuery(queries, 'issue-pages'), {})).toThrow(
    /^issue-pages needs --param issue=VALUE: id of the issue/,
  )
})
