import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** One member of a record, as the help tells it. */
export interface DescribedMember {
  /** `destination.name` for a member of a member. */
  readonly name: string
  /** What is allowed: "one of payment, other". */
  readonly takes: string
  /** What it is; '' where its name says it all. */
  readonly says: string
  /** A line may leave it out. */
  readonly optional: boolean
}

/** Each line that is rejected asks again. */
const known = new WeakMap<z.ZodType, JsonSchema>()

function schemaOf(shape: z.ZodType): JsonSchema {
  const schema = known.get(shape) ?? toSchema(shape)
  known.set(shape, schema)
  return schema
}

/** With every named schema in its place. */
function toSchema(shape: z.ZodType): JsonSchema {
  const { $defs = {}, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const inPlace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inPlace)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...own } = value as JsonSchema
    const named = $ref === undefined ? {} : $defs[$ref.replace('#/$defs/', '')]
    return Object.fromEntries(Object.entries({ ...named, ...own }).map(([key, inner]) => [key, inPlace(inner)]))
  }
  return inPlace(schema) as JsonSchema
}

/** Every member of a shape, those of its objects each by its own name. */
export function describeMembers(shape: z.ZodType): DescribedMember[] {
  return membersOf(schemaOf(shape), '', false)
}

/** What the member at a path takes, to be read after "must be". */
export function takesAt(shape: z.ZodType, path: readonly PropertyKey[]): string {
  const found = path.reduce<JsonSchema | undefined>(
    (schema, step) => schema && (typeof step === 'number' ? itemsOf(schema) : propertiesOf(schema)[String(step)]),
    schemaOf(shape),
  )
  return found ? takes(found) : 'as the help says'
}

function membersOf(schema: JsonSchema, above: string, optionalAbove: boolean): DescribedMember[] {
  return Object.entries(propertiesOf(schema)).flatMap(([key, member]) => {
    const optional = optionalAbove || !present(schema).required?.includes(key)
    const name = `${above}${key}`
    const own = { name, takes: takes(member), says: member.description ?? '', optional }
    const list = itemsOf(member)
    return [own, ...membersOf(member, `${name}.`, optional), ...(list ? membersOf(list, `${name}[].`, optional) : [])]
  })
}

/** The schema beside null, where null is allowed. */
function present(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) return { ...schema, type: schema.type.find((type) => type !== 'null') ?? 'null' }
  const some = (schema.anyOf as JsonSchema[] | undefined)?.filter(({ type }) => type !== 'null')
  return some?.length === 1 && some[0] ? some[0] : schema
}

const propertiesOf = (schema: JsonSchema) => (present(schema).properties ?? {}) as Record<string, JsonSchema>

const itemsOf = (schema: JsonSchema) => present(schema).items as JsonSchema | undefined

function takes(schema: JsonSchema): string {
  const inner = present(schema)
  return inner === schema ? takesValue(schema) : `${takesValue(inner)}, or null`
}

function range({ minimum, maximum }: JsonSchema): string {
  if (minimum === Number.MIN_SAFE_INTEGER) return ''
  return maximum === Number.MAX_SAFE_INTEGER ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`
}

const counted = (count: number) => count.toLocaleString('en')

function takesValue(schema: JsonSchema): string {
  const { type, format, minLength = 0, maxLength } = schema
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (format === 'uuid') return 'a UUID'
  if (format === 'date-time') return 'a time with Z or an offset'
  if (type === 'boolean') return 'true or false'
  if (type === 'integer') return `a whole number${range(schema)}`
  if (type === 'number') return 'a number'
  if (type === 'object')
    return schema.properties ? `an object of ${Object.keys(schema.properties).join(', ')}` : 'an object'
  if (type === 'array') return `a list, each item ${takes((schema.items ?? {}) as JsonSchema)}`
  if (type !== 'string') return 'any JSON'
  if (maxLength === undefined) return 'text'
  return minLength > 0
    ? `text of ${minLength} to ${counted(maxLength)} characters`
    : `text up to ${counted(maxLength)} characters`
}
