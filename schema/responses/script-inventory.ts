import { z } from 'zod'
import { dispositions } from '../enumerations.ts'
import { advisoryStates, identificationStates } from '../scripts.ts'
import { count, openEnum, untrusted } from './common.ts'

const countsOf = <const T extends readonly [string, ...string[]]>(states: T) =>
  z.object(Object.fromEntries(states.map((state) => [state, count])) as Record<T[number], typeof count>)

/** Before the filters by these states narrow the list. */
export const scriptCounts = z
  .object({ identification: countsOf(identificationStates), advisories: countsOf(advisoryStates) })
  .meta({ id: 'ScriptCounts' })

/** Rule 57, of the listed scripts. */
export const coverageSummary = z
  .object({
    reporting: z
      .boolean()
      .meta({ description: 'Browsers sent an integrity report of the site in the window, whatever it was about.' }),
    protected: count,
    unprotected: count,
    unknown: count,
    uninventoried: z.array(z.object({ url: untrusted(), disposition: openEnum(dispositions) })).meta({
      description:
        'Scripts reported without integrity metadata that the inventory lacks, latest first. At most 1,000: those of payment pages, then the latest.',
    }),
    uninventoriedCount: count.meta({ description: 'All of them, beyond the 1,000 too.' }),
  })
  .meta({ id: 'ScriptCoverageSummary' })
