/** @module Files of PCI reports, which commands write and verify. */

import { readFile } from 'node:fs/promises'
import { z } from 'zod'

export const reportPath = '/v1/compliance/pci-dss/report'

export const keyNote = 'With --api no database is needed. A key of the tenant or the site in API_KEY is enough.'

/** A file can contain anything; other evidence has another hash. */
export const reportFile = z.object({
  data: z.looseObject({
    evidenceHash: z.string(),
    evidence: z.looseObject({
      format: z.int(),
      asOf: z.iso.datetime(),
      tenant: z.looseObject({ id: z.guid() }),
      site: z.looseObject({ id: z.guid() }),
    }),
  }),
})

type ReportData = z.infer<typeof reportFile>['data']

/** Throws for a file that is no report, or has duplicate keys. */
export async function readReport(path: string, file: string) {
  const text = await readFile(path, 'utf8')
  const notReport = `${file} is not a JSON report: use the .json from "pci report" or the API`
  let report: unknown
  try {
    report = JSON.parse(text)
  } catch {
    throw new Error(notReport)
  }
  if (!reportFile.safeParse(report).success) throw new Error(notReport)
  // If a member name is repeated, a reader may see the first value and a program the last.
  if (text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') !== JSON.stringify(report)) {
    throw new Error(`${file} has duplicate keys or was reformatted`)
  }
  // The parsed file itself: a schema would drop names such as __proto__.
  const { data, ...others } = report as { readonly data: ReportData }
  if (Object.keys(others).length > 0)
    throw new Error(`${file} has fields that a report does not have: ${Object.keys(others).join(', ')}`)
  return data
}
