import { z } from 'zod'

/** A JSON Schema of the 2020-12 dialect, as OpenAPI 3.1 takes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/** The schemas that have a name (`.meta({ id })`), as components/schemas lists them. */
export type NamedSchemas = Record<string, JsonSchema>

type Override = (context: { readonly zodSchema: z.core.$ZodType; readonly jsonSchema: JsonSchema }) => void

/** What a caller sends: its text in the URL, each field by its name, and the names that must be there. */
export function inputFields(shape: Readonly<Record<string, z.ZodType>>): {
  readonly fields: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
} {
  const { properties = {}, required = [] } = z.toJSONSchema(z.object(shape), { io: 'input', override: asDeclared })
  return { fields: properties as Record<string, JsonSchema>, required }
}

/** What is answered. Named schemas are moved into `named`, and referred to. */
export function outputSchema(reply: z.ZodType, named: NamedSchemas): JsonSchema {
  const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(reply, { io: 'output', override: asOpen })
  for (const [name, definition] of Object.entries($defs)) named[name] = refer(withoutId(definition))
  return refer(schema)
}

/** A parameter's `meta.override` stands for what zod would say of the text before it is transformed. */
const asDeclared: Override = ({ zodSchema, jsonSchema }) => {
  const { override, description } = jsonSchema
  if (typeof override === 'object') {
    for (const key of ['type', 'pattern', 'format', 'override']) delete jsonSchema[key]
    Object.assign(jsonSchema, override, description === undefined ? {} : { description })
  }
  // Of a parameter that is transformed zod tells no default.
  if (zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue
  dropDoubledPattern(jsonSchema)
}

/** Replies may gain fields and enumerations may gain values, so neither is closed (contract, Versioning). */
const asOpen: Override = ({ jsonSchema }) => {
  delete jsonSchema.additionalProperties
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.enum) {
    const known = jsonSchema.enum
    delete jsonSchema.enum
    const description = [jsonSchema.description, `Known values: ${known.join(', ')}; more may follow.`]
    Object.assign(jsonSchema, { description: description.filter(Boolean).join(' '), 'x-extensible-enum': known })
  }
  // Null is joined first, because it brings its text's pattern.
  joinNull(jsonSchema)
  dropDoubledPattern(jsonSchema)
}

/** A format says it better than the pattern zod makes of it. */
function dropDoubledPattern(schema: JsonSchema): void {
  if (schema.format) delete schema.pattern
}

/** `anyOf` a text and null is a text or null. */
function joinNull(schema: JsonSchema): void {
  const [some, none, ...others] = schema.anyOf ?? []
  if (others.length > 0 || none?.type !== 'null' || typeof some?.type !== 'string') return
  delete schema.anyOf
  const description = [schema.description, some.description].filter(Boolean).join(' ')
  Object.assign(schema, some, { type: [some.type, 'null'] }, description === '' ? {} : { description })
}

function withoutId({ id: _, ...schema }: JsonSchema & { id?: unknown }): JsonSchema {
  return schema
}

const ownDefinitions = '#/$defs/'

/** The same schema with each reference led to components/schemas. */
function refer<T>(value: T): T {
  if (Array.isArray(value)) return value.map(refer) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => {
    const isReference = key === '$ref' && typeof inner === 'string'
    return [key, isReference ? inner.replace(ownDefinitions, '#/components/schemas/') : refer(inner)]
  })
  return Object.fromEntries(entries) as T
}
