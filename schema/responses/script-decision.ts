import { z } from 'zod'
import { line } from '../record-fields.ts'
import { scriptDecision } from './script.ts'

/** With fields that the contract lacks: in imports and in the PCI report. */
export const recordedDecision = scriptDecision.extend({
  owner: line(200).nullable().meta({ description: 'Person or team that is responsible for the script.' }),
  reviewBy: z.iso.date().nullable().meta({ description: 'Last day before the authorization is reviewed, in UTC.' }),
})

export type RecordedDecision = z.infer<typeof recordedDecision>
