import packageJson from '../../package.json' with { type: 'json' }
import { errorBody } from '../../schema/responses/common.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import { conventions } from './conventions.ts'
import { errorResponses } from './error-responses.ts'
import { headers } from './headers.ts'
import { healthPaths } from './health-operations.ts'
import { type NamedSchemas, outputSchema } from './json-schema.ts'
import { pathItem } from './operations.ts'
import { tagsOf } from './tags.ts'

export function openApiDocument(endpoints: readonly Endpoint[]) {
  const schemas: NamedSchemas = {}
  outputSchema(errorBody, schemas)
  const paths = {
    ...Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint, schemas)])),
    ...healthPaths(schemas),
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Security Reporting API',
      version: packageJson.version,
      description: conventions,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: tagsOf([...endpoints.map(({ name }) => name), 'health']),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `srk_live_` and 40 letters and digits.' },
      },
      headers,
      responses: errorResponses(endpoints),
      schemas,
    },
  }
}
