/** @module The made-up report type and endpoint, in the lists of their kind as `app/RECIPES.md` has it. */

import { inject, vi } from 'vitest'
import { writeReportTypes } from '../../clickhouse/report-types.ts'
import { connectPatiently } from '../support/patience.ts'

vi.mock('../../schema/report-types/all.ts', async (original) => {
  const { reportTypes } = await original<typeof import('../../schema/report-types/all.ts')>()
  const { madeUpType } = await import('./made-up-type.ts')
  return { reportTypes: { ...reportTypes, 'made-up': madeUpType } }
})

vi.mock('../../app/endpoints/all.ts', async (original) => {
  const { endpoints } = await original<typeof import('../../app/endpoints/all.ts')>()
  const { madeUpEndpoint } = await import('./made-up-endpoint.ts')
  return { endpoints: [...endpoints, madeUpEndpoint] }
})

// The command `migrate` writes it too.
const database = connectPatiently(inject('servers').writeUrl)
await writeReportTypes(database)
await database.close()
