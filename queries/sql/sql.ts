/**
 * SQL as immutable fragments. An interpolation is another fragment or a typed bound value: a plain string does not
 * compile, so no caller's text can reach the statement. Values are numbered when the whole is rendered.
 */

/** A value that travels beside the statement as a `{pN:Type}` parameter, in ClickHouse's text form. */
export interface Bound {
  readonly type: string
  readonly value: string | readonly string[]
}

/** A piece of SQL: `strings` has one more element than `values`, as in a template literal. */
export interface Sql {
  readonly strings: readonly string[]
  readonly values: readonly Bound[]
}

type Interpolated = Sql | Bound

/** Builds a fragment; nested fragments are flattened in place. */
export function sql(strings: TemplateStringsArray, ...parts: readonly Interpolated[]): Sql {
  const out = { strings: [strings[0] ?? ''], values: [] as Bound[] }
  parts.forEach((part, index) => {
    const fragment = 'strings' in part ? part : { strings: ['', ''], values: [part] }
    const [first, ...rest] = fragment.strings
    out.strings.push(`${out.strings.pop()}${first}`, ...rest)
    out.strings.push(`${out.strings.pop()}${strings[index + 1]}`)
    out.values.push(...fragment.values)
  })
  return out
}

export const empty: Sql = { strings: [''], values: [] }

/** Fragments with a separator between them. Throws on an empty list, which is always a mistake in SQL. */
export function join(parts: readonly Sql[], separator: ', ' | ' AND ' | ' OR ' | ' UNION ALL ' | ' '): Sql {
  const [first, ...rest] = parts
  if (!first) throw new Error('join() of no fragments')
  const glue: Sql = { strings: [separator], values: [] }
  return rest.reduce((whole, part) => sql`${whole}${glue}${part}`, first)
}

/** A table, column or alias of ours. Throws on anything but an identifier, so that no value can pass for a name. */
export function name(identifier: string): Sql {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(identifier)) throw new Error(`not an identifier: ${identifier}`)
  return { strings: [identifier], values: [] }
}

export const text = (value: string): Bound => ({ type: 'String', value })

/** Several texts, for IN. */
export const texts = (values: readonly string[]): Bound => ({ type: 'Array(String)', value: values })

export const uuid = (value: string): Bound => ({ type: 'UUID', value })

/** Several ids, for IN. */
export const uuids = (values: readonly string[]): Bound => ({ type: 'Array(UUID)', value: values })

/** A whole number from 0 to 2^53 - 1. */
export function uint(value: number): Bound {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`not an unsigned integer: ${value}`)
  return { type: 'UInt64', value: String(value) }
}

const uint64Max = 2n ** 64n - 1n

function uint64Text(value: bigint): string {
  if (value < 0n || value > uint64Max) throw new Error(`not an unsigned 64-bit integer: ${value}`)
  return String(value)
}

/** A whole number from 0 to 2^64 - 1. */
export const uint64 = (value: bigint): Bound => ({ type: 'UInt64', value: uint64Text(value) })

/** Several of them, for IN. */
export const uint64s = (values: readonly bigint[]): Bound => ({
  type: 'Array(UInt64)',
  value: `[${values.map(uint64Text).join(',')}]`,
})

/** A moment, to the millisecond. */
export const at = (value: Date): Bound => ({ type: "DateTime64(3, 'UTC')", value: toClickHouseTime(value) })

/** What stands for no time in a column of moments that is never null. */
export const noTime = sql`toDateTime64(0, 3, 'UTC')`

/** The last second that DateTime holds. */
const lastSecond = (2 ** 32 - 1) * 1000

/**
 * The first whole second not before a moment: a column of whole seconds has the same rows before the one as before the
 * other, and is compared faster with it than with milliseconds. DateTime holds 1970 to 2106; a moment beyond stands for
 * the nearer end.
 */
export function atSecond(value: Date): Bound {
  const second = Math.ceil(Math.min(Math.max(value.getTime(), 0), lastSecond) / 1000) * 1000
  return { type: "DateTime('UTC')", value: toClickHouseTime(new Date(second)).slice(0, 19) }
}

/** Several moments, for IN. */
export const times = (values: readonly Date[]): Bound => ({
  type: "Array(DateTime64(3, 'UTC'))",
  value: values.map(toClickHouseTime),
})

/** `2026-01-31 12:00:00.000`, in UTC: the text form of DateTime64(3, 'UTC'). */
export function toClickHouseTime(value: Date): string {
  return value.toISOString().replace('T', ' ').replace('Z', '')
}

/** A statement's text, and the values of its parameters by name. */
export interface Rendered {
  readonly text: string
  readonly params: Readonly<Record<string, string | readonly string[]>>
}

/** Numbers the bound values; a value that is used several times is one parameter. */
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
