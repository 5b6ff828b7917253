import { z } from 'zod'
import { dispositions } from '../enumerations.ts'
import { advisoryStates, identificationStates } from '../scripts.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'

const countsOf = <const T extends readonly [string, ...string[]]>(states: T) =>
  z.object(Object.fromEntries(states.map((state) => [state, count])) as Record<T[number], typeof count>)

/** How many scripts are in each state, before the filters by those states narrow the list. */
export const scriptCounts = z
  .object({ identification: countsOf(identificationStates), advisories: countsOf(advisoryStates) })
  .meta({ id: 'ScriptCounts' })

/** What of the listed scripts is covered (contract, GET /v1/sites/{siteId}/scripts). */
export const coverageSummary = z
  .object({
    reporting: z.boolean().meta({ description: 'Browsers reported an integrity violation of the site’s scripts.' }),
    protected: count,
    unprotected: count,
    unknown: count,
    uninventoried: z
      .array(z.object({ url: untrusted(), disposition: openEnum(dispositions) }))
      .meta({ description: 'Scripts reported without integrity metadata that the inventory lacks, latest first.' }),
  })
  .meta({ id: 'ScriptCoverageSummary' })

/** The window that was read. */
export const readWindow = z.object({ from: dateTimeText, to: dateTimeText }).meta({ id: 'ReadWindow' })
