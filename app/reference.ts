import type { Hono } from 'hono'
import type { Endpoint } from './endpoint.ts'
import { openApiDocument } from './openapi.ts'
import type { ApiEnv } from './pipeline/request-state.ts'

/** Serves the OpenAPI 3.1 description at `/openapi.json`. */
export function mountReference(app: Hono<ApiEnv>, endpoints: readonly Endpoint[]): void {
  const text = JSON.stringify(openApiDocument(endpoints))
  app.get('/openapi.json', (c) => c.body(text, 200, { 'Content-Type': 'application/json' }))
}
