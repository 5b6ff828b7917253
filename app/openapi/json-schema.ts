/** @module JSON Schema 2020-12 of parameters and responses, for OpenAPI 3.1. */

import { z } from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Schemas with `.meta({ id })`, for components/schemas. */
export type NamedSchemas = Record<string, JsonSchema>

type Override = (context: { readonly zodSchema: z.core.$ZodType; readonly jsonSchema: JsonSchema }) => void

export function inputFields(schemas: Readonly<Record<string, z.ZodType>>): {
  readonly fields: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
} {
  const { properties = {}, required = [] } = z.toJSONSchema(z.object(schemas), { io: 'input', override: asDeclared })
  return { fields: properties as Record<string, JsonSchema>, required }
}

export function outputSchema(body: z.ZodType, named: NamedSchemas): JsonSchema {
  const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(body, { io: 'output', override: asOpen })
  for (const [name, definition] of Object.entries($defs)) {
    const { id: _, ...schema } = definition
    named[name] = refer(schema)
  }
  return refer(schema)
}

/** A parameter's `meta.override` replaces zod's description of the text before its transform. */
const asDeclared: Override = ({ zodSchema, jsonSchema }) => {
  const { override, description } = jsonSchema
  if (typeof override === 'object') {
    for (const key of ['type', 'anyOf', 'pattern', 'format', 'override']) delete jsonSchema[key]
    Object.assign(jsonSchema, override, description === undefined ? {} : { description })
  }
  // Zod omits the default and the examples of a parameter with a transform.
  if (zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue
  const examples = z.globalRegistry.get(zodSchema)?.examples
  if (Array.isArray(examples)) jsonSchema.examples = examples
  dropDoubledPattern(jsonSchema)
}

/** Rule 11: neither objects nor enumerations are closed. */
const asOpen: Override = ({ jsonSchema }) => {
  delete jsonSchema.additionalProperties
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.enum) {
    const known = jsonSchema.enum
    delete jsonSchema.enum
    const description = [jsonSchema.description, `Known values: ${known.join(', ')}; more may be added.`]
    Object.assign(jsonSchema, { description: description.filter(Boolean).join(' '), 'x-extensible-enum': known })
  }
  // Null first, because it brings its text's pattern.
  joinNull(jsonSchema)
  dropDoubledPattern(jsonSchema)
}

/** A format makes the pattern that zod derives from it redundant. */
function dropDoubledPattern(schema: JsonSchema): void {
  if (schema.format) delete schema.pattern
}

function joinNull(schema: JsonSchema): void {
  const [some, none, ...others] = schema.anyOf ?? []
  if (others.length > 0 || none?.type !== 'null' || typeof some?.type !== 'string') return
  delete schema.anyOf
  const description = [schema.description, some.description].filter(Boolean).join(' ')
  Object.assign(schema, some, { type: [some.type, 'null'] }, description === '' ? {} : { description })
}

function refer<T>(value: T): T {
  if (Array.isArray(value)) return value.map(refer) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => {
    const isReference = key === '$ref' && typeof inner === 'string'
    return [key, isReference ? inner.replace('#/$defs/', '#/components/schemas/') : refer(inner)]
  })
  return Object.fromEntries(entries) as T
}
