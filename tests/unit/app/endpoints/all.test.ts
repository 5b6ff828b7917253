import { expect, test } from 'vitest'
import { endpoints } from '../../../../app/endpoints/all.ts'

test.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
  '%s is exported by the file of its name',
  async (name, endpoint) => {
    const path = `../../../../app/endpoints/${name.replace('.', '/')}.ts`
    expect(Object.values(await import(path))).toContain(endpoint)
  },
)
