import { z } from 'zod'
import { openEnum } from './common.ts'

const state = openEnum(['ok', 'failing'])

export const liveness = z.object({ status: state }).meta({ id: 'Liveness' })

export const readiness = z
  .object({ status: state, checks: z.object({ engine: state, budgets: state, migrations: state }) })
  .meta({ id: 'Readiness', description: 'Whether each part the API needs answers.' })
