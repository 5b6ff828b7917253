import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

interface Reference {
  readonly $ref: string
}

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>
  readonly content: { readonly 'application/json': { readonly schema: unknown } }
}

/** The part of an OpenAPI document that describes responses. */
export interface Description {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly responses: Readonly<Record<string, DescribedResponse | Reference>> } }>
  >
  readonly components: {
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>
    readonly responses: Readonly<Record<string, DescribedResponse>>
  }
}

export interface OperationResponse {
  readonly path: string
  readonly status: number
  readonly headers: Headers
  /** Undefined if there is none, as for HEAD. */
  readonly body: unknown
}

/** Throws if status, headers or body differ from the description. */
type ResponseCheck = (response: OperationResponse) => void

/** Compiled once for all files of a worker: the schemas of every operation take 0.8 s of processor time. */
const checks = new Map<string, ResponseCheck>()

/** @param text an OpenAPI document. */
export function createResponseCheck(text: string): ResponseCheck {
  const check = checks.get(text) ?? compileCheck(JSON.parse(text))
  checks.set(text, check)
  return check
}

function compileCheck(description: Description): ResponseCheck {
  const ajv = formats.default(new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }))
  ajv.addVocabulary(['x-extensible-enum', 'paths', 'components', 'openapi', 'info', 'servers', 'security', 'tags'])
  ajv.addSchema(closed(description) as object, 'openapi')
  const compiled = new Map<string, ValidateFunction>()

  return function checkResponse({ path, status, headers, body }) {
    const subject = `${path} ${status}`
    const [response, pointer] = described(description, path, status)
    for (const [name, shared] of Object.entries(description.components.headers)) {
      const described = response.headers?.[name]
      if (headers.has(name) && !described) throw new Error(`${subject} is not described as carrying the header ${name}`)
      if (!headers.has(name) && described && { ...shared, ...described }.required !== false) {
        throw new Error(`${subject} lacks the header ${name}`)
      }
    }
    if (body === undefined) return
    const validate =
      compiled.get(subject) ?? ajv.compile({ $ref: `openapi#${pointer}/content/application~1json/schema` })
    compiled.set(subject, validate)
    if (!validate(body)) throw new Error(`${subject}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`)
  }
}

function described(description: Description, path: string, status: number): [DescribedResponse, string] {
  const response = description.paths[path]?.get.responses[status]
  if (!response) throw new Error(`${path} is not described with status ${status}`)
  if (!('$ref' in response)) return [response, `/paths/${path.replaceAll('/', '~1')}/get/responses/${status}`]
  const name = response.$ref.split('/').at(-1) ?? ''
  const shared = description.components.responses[name]
  if (!shared) throw new Error(`${response.$ref} leads nowhere`)
  return [shared, response.$ref.slice(1)]
}

/** The description permits later fields; the check permits only described ones. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, closed(inner)])
  const isObjectSchema = 'properties' in value && 'type' in value && value.type === 'object'
  return Object.fromEntries([...entries, ...(isObjectSchema ? [['additionalProperties', false]] : [])])
}
