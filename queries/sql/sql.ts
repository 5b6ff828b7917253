/**
 * @module Immutable SQL fragments. A plain string does not compile as a value, so no caller text reaches a statement.
 */

/** Sent separately as a `{pN:Type}` parameter, in ClickHouse's text form. */
export interface Bound {
  readonly type: string
  readonly value: string | readonly string[]
}

/** `strings` has one more element than `values`, like a template literal. */
export interface Sql {
  readonly strings: readonly string[]
  readonly values: readonly Bound[]
}

type Interpolated = Sql | Bound

export function sql(strings: TemplateStringsArray, ...interpolated: readonly Interpolated[]): Sql {
  const out = { strings: [strings[0] ?? ''], values: [] as Bound[] }
  interpolated.forEach((value, index) => {
    const fragment = 'strings' in value ? value : { strings: ['', ''], values: [value] }
    const [first, ...rest] = fragment.strings
    out.strings.push(`${out.strings.pop()}${first}`, ...rest)
    out.strings.push(`${out.strings.pop()}${strings[index + 1]}`)
    out.values.push(...fragment.values)
  })
  return out
}

export const empty: Sql = { strings: [''], values: [] }

/** Throws on an empty list, which is always a mistake in SQL. */
export function join(fragments: readonly Sql[], separator: ', ' | ' AND ' | ' OR ' | ' UNION ALL ' | ' '): Sql {
  const [first, ...rest] = fragments
  if (!first) throw new Error('join() requires a fragment')
  const glue: Sql = { strings: [separator], values: [] }
  return rest.reduce((whole, fragment) => sql`${whole}${glue}${fragment}`, first)
}

/** A table, column or alias. Throws for anything but an identifier, so that a value cannot be used as a name. */
export function name(identifier: string): Sql {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(identifier)) throw new Error(`not an identifier: ${identifier}`)
  return { strings: [identifier], values: [] }
}

export const text = (value: string): Bound => ({ type: 'String', value })

export const texts = (values: readonly string[]): Bound => ({ type: 'Array(String)', value: values })

export const uuid = (value: string): Bound => ({ type: 'UUID', value })

export const uuids = (values: readonly string[]): Bound => ({ type: 'Array(UUID)', value: values })

export const bool = (value: boolean): Bound => ({ type: 'Bool', value: String(value) })

export function uint(value: number): Bound {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`not an unsigned integer: ${value}`)
  return { type: 'UInt64', value: String(value) }
}

const uint64Max = 2n ** 64n - 1n

function uint64Text(value: bigint): string {
  if (value < 0n || value > uint64Max) throw new Error(`not an unsigned 64-bit integer: ${value}`)
  return String(value)
}

export const uint64 = (value: bigint): Bound => ({ type: 'UInt64', value: uint64Text(value) })

export const uint64s = (values: readonly bigint[]): Bound => ({
  type: 'Array(UInt64)',
  value: `[${values.map(uint64Text).join(',')}]`,
})

export const at = (value: Date): Bound => ({ type: "DateTime64(3, 'UTC')", value: toClickHouseTime(value) })

/** Value for no time, in columns that are never null. */
export const noTime = sql`toDateTime64(0, 3, 'UTC')`

const lastSecond = (2 ** 32 - 1) * 1000

/** Rounded up, which selects the same whole seconds and compares faster; clamped to DateTime's 1970 to 2106. */
export function atSecond(value: Date): Bound {
  const second = Math.ceil(Math.min(Math.max(value.getTime(), 0), lastSecond) / 1000) * 1000
  return { type: "DateTime('UTC')", value: toClickHouseTime(new Date(second)).slice(0, 19) }
}

export const times = (values: readonly Date[]): Bound => ({
  type: "Array(DateTime64(3, 'UTC'))",
  value: values.map(toClickHouseTime),
})

/** `2026-01-31 12:00:00.000`, in UTC: the text form of DateTime64(3, 'UTC'). */
export function toClickHouseTime(value: Date): string {
  return value.toISOString().replace('T', ' ').replace('Z', '')
}

export interface Rendered {
  readonly text: string
  readonly params: Readonly<Record<string, string | readonly string[]>>
}

/** A bound value that is used several times is one parameter. */
export function render(fragment: Sql): Rendered {
  const names = new Map<Bound, string>()
  let out = fragment.strings[0] ?? ''
  fragment.values.forEach((bound, index) => {
    const parameter = names.get(bound) ?? `p${names.size}`
    names.set(bound, parameter)
    out += `{${parameter}:${bound.type}}${fragment.strings[index + 1] ?? ''}`
  })
  return { text: out, params: Object.fromEntries([...names].map(([{ value }, parameter]) => [parameter, value])) }
}
