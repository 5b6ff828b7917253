import type { Endpoint } from './endpoint.ts'

/** The OpenAPI 3.1 description of the operations. */
export function openApiDocument(endpoints: readonly Endpoint[]): Record<string, unknown> {
  return { openapi: '3.1.0', paths: Object.fromEntries(endpoints.map(({ path }) => [path, {}])) }
}
