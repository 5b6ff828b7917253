import { z } from 'zod'
import { parseUrl } from '../../../../schema/parse-url.ts'
import { recordUuid } from '../../../../schema/record-fields.ts'
import { sourceDecision } from '../../../../schema/responses/source-decision.ts'
import { isKnownDirective } from '../../../../schema/rules/csp/governing-directive.ts'
import { decidedColumns, decidedFields, toDecidedRow } from '../decided-fields.ts'
import { recordType } from '../record-type.ts'

export const directiveField = z
  .string()
  .toLowerCase()
  .refine(isKnownDirective, { error: 'must be a directive that has sources, such as img-src' })

/** A source in the form of reports and advice. */
export const sourceField = z
  .string()
  .max(1_000)
  .transform((text, context) => {
    const url = parseUrl(text)
    if (/^(data|blob):?$/.test(text)) return text.replace(':', '')
    const isOrigin = url && /^(https?|wss?):$/.test(url.protocol) && /^[^/]*\/\/[^/?#@\\]+\/?$/.test(text)
    if (isOrigin) return url.origin
    context.addIssue({ code: 'custom', message: 'must be an origin such as https://cdn.example.com, data or blob' })
    return z.NEVER
  })

const decision = sourceDecision.extend({
  id: recordUuid,
  siteId: recordUuid,
  directive: directiveField,
  source: sourceField,
  ...decidedFields,
})

/** `import source-decisions`: all fields are immutable. */
export const sourceDecisions = recordType({
  name: 'source-decisions',
  label: 'decisions about sources of policies',
  schema: decision,
  foreignKeys: { siteId: 'site' },
  siteFromFlag: true,
  table: 'source_decisions',
  immutable: {
    siteId: 'site_id',
    directive: 'directive',
    source: 'source',
    status: 'status',
    reason: 'reason',
    ...decidedColumns,
  },
  toRow: (record) => ({
    site_id: record.siteId,
    id: record.id,
    directive: record.directive,
    source: record.source,
    status: record.status,
    reason: record.reason,
    ...toDecidedRow(record),
  }),
  example: {
    id: '2c9a4b1e-6d35-4f70-8a26-4d5e6f7a8b91',
    directive: 'img-src',
    source: 'https://img.partner.example',
    status: 'accepted',
    reason: 'Banners of our partner',
    decidedBy: { name: 'Ada Byron', email: 'ada@example.com' },
    decidedAt: '2026-01-31T12:00:00.000Z',
  },
})
