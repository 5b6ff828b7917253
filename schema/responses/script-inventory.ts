import { z } from 'zod'
import { dispositions } from '../enumerations.ts'
import { advisoryStates, identificationStates } from '../scripts.ts'
import { count, openEnum, untrusted } from './common.ts'

const countsOf = <const T extends readonly [string, ...string[]]>(states: T) =>
  z.object(Object.fromEntries(states.map((state) => [state, count])) as Record<T[number], typeof count>)

/** Counts before the filters by these states. */
export const scriptCounts = z
  .object({ identification: countsOf(identificationStates), advisories: countsOf(advisoryStates) })
  .meta({ id: 'ScriptCounts' })

/** Rule 57, of the listed scripts. */
export const coverageSummary = z
  .object({
    reporting: z
      .boolean()
      .meta({ description: 'True if browsers sent any integrity report for the site in the window.' }),
    protected: count,
    unprotected: count,
    unknown: count,
    uninventoried: z.array(z.object({ url: untrusted(), disposition: openEnum(dispositions) })).meta({
      description:
        'Scripts that were reported without integrity metadata and are not in the inventory, latest first. At most 1,000: scripts of payment pages, then the latest.',
    }),
    uninventoriedCount: count.meta({ description: 'Number of all such scripts, including those beyond 1,000.' }),
  })
  .meta({ id: 'ScriptCoverageSummary' })
