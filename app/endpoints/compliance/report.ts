import { z } from 'zod'
import { dateTime, oneOf, uuid } from '../../../schema/params.ts'
import { Problem } from '../../../schema/problems.ts'
import { pciReport } from '../../../schema/responses/pci-report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { TextResponse } from '../../pipeline/text-response.ts'
import { readReport } from './read-report.ts'
import { changesCsv, csvType, scriptsCsv } from './report-csv.ts'
import { htmlType, reportHtml } from './report-html.ts'

const tables = { scripts: scriptsCsv, changes: changesCsv } as const
const tableNames = Object.keys(tables) as [keyof typeof tables, ...(keyof typeof tables)[]]

export const complianceReport = endpoint({
  name: 'compliance.report',
  path: '/v1/compliance/pci-dss/report',
  summary: 'Get a site’s PCI DSS report',
  description:
    'The evidence of a site recorded by `asOf`, for an assessor. Later records, including changes to pages, alert rules, names and the plan, are not included. `evidenceHash` is the SHA-256 of only `evidence` in the canonical form of RFC 8785: other programs can compute it, and the same `asOf` gives the same hash until the site or the tenant is deleted. `observed` depends on browser reports, which retention deletes; `limits` lists missing data. `format=html` is a page to print; `format=csv` is a table.',
  query: {
    siteId: uuid('The site; optional for a key restricted to one site. A report covers one site'),
    asOf: dateTime('Time by which evidence was recorded, not in the future (default: now)').optional(),
    format: oneOf(['json', 'html', 'csv'], 'Format of the report (default: json)').optional(),
    table: oneOf(tableNames, 'The table; required with format=csv').optional(),
  },
  window: 'retention',
  textTypes: [htmlType, csvType],
  response: z.object({ data: pciReport }),
  // A poll of an asOf is a 304 until something else changes.
  weakEtagOf: ({ data }) => ({ ...data, generatedAt: undefined }),
  async handle({ caller: { tenant }, params, window, read, readAll }) {
    const { siteId, format = 'json', table } = params
    const now = new Date(window.to)
    const asOf = params.asOf ?? now
    if (asOf > now) throw new Problem('bad_request', `asOf must not be in the future: it is ${now.toISOString()}`)
    if ((format === 'csv') !== (table !== undefined)) {
      throw new Problem(
        'bad_request',
        `table is required with format=csv and allowed only with it: ${tableNames.join(' or ')}`,
      )
    }
    const report = await readReport({ read, readAll }, { tenantId: tenant.id, siteId, asOf, now, stored: window })
    const fileName = `pci-dss-${report.evidence.asOf.slice(0, 10)}`
    if (table !== undefined) {
      return new TextResponse(tables[table](report), {
        'Content-Type': csvType,
        'Content-Disposition': `attachment; filename="${fileName}-${table}.csv"`,
      })
    }
    return format === 'html' ? reportHtml(report, `${fileName}.html`) : { data: report }
  },
})
