import { describe, expect, test } from 'vitest'
import {
  at,
  atSecond,
  empty,
  join,
  name,
  render,
  sql,
  text,
  times,
  uint,
  uint64,
  uint64s,
} from '../../../../queries/sql/sql.ts'

describe('SQL fragments', () => {
  test('fragments number their bound values when they are rendered', () => {
    const where = join([sql`a = ${text('x')}`, sql`b > ${uint(2)}`], ' AND ')
    expect(render(sql`SELECT ${name('c')} FROM t WHERE ${where}${empty} LIMIT ${uint(5)}`)).toEqual({
      text: 'SELECT c FROM t WHERE a = {p0:String} AND b > {p1:UInt64} LIMIT {p2:UInt64}',
      params: { p0: 'x', p1: '2', p2: '5' },
    })
  })

  test('a repeated fragment binds its value once; equal values are separate parameters', () => {
    const hostile = "'; DROP TABLE reports; --"
    const [one, equal] = [sql`x = ${text(hostile)}`, sql`y = ${text(hostile)}`]
    expect(render(sql`${one} OR ${equal} OR ${one}`)).toEqual({
      text: 'x = {p0:String} OR y = {p1:String} OR x = {p0:String}',
      params: { p0: hostile, p1: hostile },
    })
  })

  test('a moment is bound to the millisecond', () => {
    expect(render(sql`${at(new Date('2026-01-31T12:00:00.007Z'))}`)).toEqual({
      text: "{p0:DateTime64(3, 'UTC')}",
      params: { p0: '2026-01-31 12:00:00.007' },
    })
  })

  test.each([
    ['2026-01-31T12:00:00.000Z', '2026-01-31 12:00:00'],
    ['2026-01-31T12:00:00.001Z', '2026-01-31 12:00:01'],
    ['1969-12-31T23:59:59.999Z', '1970-01-01 00:00:00'],
    ['2106-02-07T06:28:14.500Z', '2106-02-07 06:28:15'],
    ['9999-12-31T00:00:00.000Z', '2106-02-07 06:28:15'],
  ])('the moment %s is bound to the second as %s', (moment, value) => {
    expect(atSecond(new Date(moment))).toEqual({ type: "DateTime('UTC')", value })
  })

  test('lists are bound as arrays', () => {
    const moments = [new Date(0), new Date('2026-01-31T12:00:00.007Z')]
    expect(render(sql`a IN ${uint64s([0n, 2n ** 64n - 1n])} AND b IN ${times(moments)}`)).toEqual({
      text: "a IN {p0:Array(UInt64)} AND b IN {p1:Array(DateTime64(3, 'UTC'))}",
      params: { p0: '[0,18446744073709551615]', p1: ['1970-01-01 00:00:00.000', '2026-01-31 12:00:00.007'] },
    })
  })

  test.each(['a b', "a'", 'a;', '', '1a', 'a.b'])('the name %j is rejected', (identifier) => {
    expect(() => name(identifier)).toThrow('not an identifier')
  })

  test.each([-1, 1.5, Number.NaN, 2 ** 53])('the number %d is no unsigned integer', (value) => {
    expect(() => uint(value)).toThrow('not an unsigned integer')
  })

  test.each([-1n, 2n ** 64n])('the number %d is no unsigned 64-bit integer', (value) => {
    expect(() => uint64(value)).toThrow('not an unsigned 64-bit integer')
    expect(() => uint64s([1n, value])).toThrow('not an unsigned 64-bit integer')
  })

  test('a join of no fragments throws', () => {
    expect(() => join([], ', ')).toThrow()
  })
})
