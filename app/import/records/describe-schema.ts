import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** Describes the fields of a record's schema, for the help and for line errors. */

export interface DescribedField {
  /** `destination.name` for a nested field. */
  readonly name: string
  /** Allowed values: "one of payment, other". */
  readonly expected: string
  /** '' if the name is clear enough. */
  readonly description: string
  readonly optional: boolean
}

/** Every rejected line needs its schema again. */
const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>()

function toJsonSchema(schema: z.ZodType): JsonSchema {
  const jsonSchema = jsonSchemas.get(schema) ?? inlineRefs(schema)
  jsonSchemas.set(schema, jsonSchema)
  return jsonSchema
}

function inlineRefs(zodSchema: z.ZodType): JsonSchema {
  const { $defs = {}, ...schema } = z.toJSONSchema(zodSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const inPlace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inPlace)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...own } = value as JsonSchema
    const named = $ref === undefined ? {} : $defs[$ref.replace('#/$defs/', '')]
    return Object.fromEntries(Object.entries({ ...named, ...own }).map(([key, inner]) => [key, inPlace(inner)]))
  }
  return inPlace(schema) as JsonSchema
}

/** Every field, nested ones after their parent. */
export function describeFields(schema: z.ZodType): DescribedField[] {
  return fieldsOf(toJsonSchema(schema), '', false)
}

/** Allowed values of the field at a path, to follow "must be". */
export function expectedAt(schema: z.ZodType, path: readonly PropertyKey[]): string {
  const found = path.reduce<JsonSchema | undefined>(
    (inner, step) => inner && (typeof step === 'number' ? itemsOf(inner) : propertiesOf(inner)[String(step)]),
    toJsonSchema(schema),
  )
  return found ? expected(found) : 'a value that --help describes'
}

function fieldsOf(schema: JsonSchema, above: string, optionalAbove: boolean): DescribedField[] {
  return Object.entries(propertiesOf(schema)).flatMap(([key, field]) => {
    const optional = optionalAbove || !present(schema).required?.includes(key)
    const name = `${above}${key}`
    const own = { name, expected: expected(field), description: field.description ?? '', optional }
    const list = itemsOf(field)
    return [own, ...fieldsOf(field, `${name}.`, optional), ...(list ? fieldsOf(list, `${name}[].`, optional) : [])]
  })
}

/** The schema without its null. */
function present(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) return { ...schema, type: schema.type.find((type) => type !== 'null') ?? 'null' }
  const some = (schema.anyOf as JsonSchema[] | undefined)?.filter(({ type }) => type !== 'null')
  return some?.length === 1 && some[0] ? some[0] : schema
}

const propertiesOf = (schema: JsonSchema) => (present(schema).properties ?? {}) as Record<string, JsonSchema>

const itemsOf = (schema: JsonSchema) => present(schema).items as JsonSchema | undefined

function expected(schema: JsonSchema): string {
  const inner = present(schema)
  return inner === schema ? expectedValue(schema) : `${expectedValue(inner)}, or null`
}

function range({ minimum, maximum }: JsonSchema): string {
  if (minimum === Number.MIN_SAFE_INTEGER) return ''
  return maximum === Number.MAX_SAFE_INTEGER ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`
}

function expectedValue(schema: JsonSchema): string {
  const { type, format, minLength = 0, maxLength } = schema
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (format === 'uuid') return 'a UUID'
  if (format === 'date-time') return 'a time with Z or an offset'
  if (type === 'boolean') return 'true or false'
  if (type === 'integer') return `a whole number${range(schema)}`
  if (type === 'number') return 'a number'
  if (type === 'object')
    return schema.properties ? `an object with ${Object.keys(schema.properties).join(', ')}` : 'an object'
  if (type === 'array') return `a list of items, each ${expected((schema.items ?? {}) as JsonSchema)}`
  if (type !== 'string') return 'any JSON'
  if (maxLength === undefined) return 'text'
  return minLength > 0
    ? `text of ${minLength} to ${maxLength.toLocaleString('en')} characters`
    : `text of at most ${maxLength.toLocaleString('en')} characters`
}
