import { z } from 'zod'
import { recordUuid } from '../../../../schema/record-fields.ts'
import { recordedDecision } from '../../../../schema/responses/script-decision.ts'
import { decidedColumns, decidedFields, toDecidedRow } from '../decided-fields.ts'
import { recordType } from '../record-type.ts'
import { scriptHashField, scriptUrlField } from '../script-fields.ts'

const { integrityMode, pinnedHashes, justification, owner, reviewBy } = recordedDecision.shape

const decision = recordedDecision
  .extend({
    id: recordUuid,
    siteId: recordUuid,
    url: scriptUrlField.meta({ description: 'The script; its query is ignored.' }),
    integrityMode: integrityMode.default(null),
    pinnedHashes: z
      .array(scriptHashField)
      .min(1)
      .max(1_000)
      .nullable()
      .default(null)
      .meta({ description: pinnedHashes.description ?? '' }),
    justification: justification.default(null),
    owner: owner.default(null),
    reviewBy: reviewBy.default(null),
    ...decidedFields,
  })
  .refine(({ status, integrityMode }) => (status === 'authorized') === (integrityMode !== null), {
    path: ['integrityMode'],
    error: 'must be set if and only if the decision is an authorization',
  })
  .refine(({ integrityMode, pinnedHashes }) => pinnedHashes === null || integrityMode === 'pinned_hashes', {
    path: ['pinnedHashes'],
    error: 'must be null unless integrityMode is pinned_hashes',
  })

/** `import decisions`: all fields are immutable. */
export const scriptDecisions = recordType({
  name: 'decisions',
  label: 'decisions about scripts',
  schema: decision,
  foreignKeys: { siteId: 'site' },
  siteFromFlag: true,
  table: 'script_decisions',
  immutable: {
    siteId: 'site_id',
    url: 'script_url',
    status: 'status',
    integrityMode: 'integrity_mode',
    pinnedHashes: 'pinned_hashes',
    justification: 'justification',
    owner: 'owner',
    reviewBy: 'review_by',
    ...decidedColumns,
  },
  toRow: (record) => ({
    site_id: record.siteId,
    id: record.id,
    script_url: record.url,
    status: record.status,
    integrity_mode: record.integrityMode ?? '',
    pinned_hashes: JSON.stringify(record.pinnedHashes),
    justification: record.justification ?? '',
    owner: record.owner ?? '',
    review_by: record.reviewBy ?? '',
    ...toDecidedRow(record),
  }),
  example: {
    id: '7d2f1c3b-5a64-4e08-9b17-3c4d5e6f7a80',
    url: 'https://shop.example.com/assets/checkout.js',
    status: 'authorized',
    integrityMode: 'pinned_hashes',
    pinnedHashes: ['sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='],
    justification: 'Our own checkout',
    decidedBy: { name: 'Ada Byron', email: 'ada@example.com' },
    decidedAt: '2026-01-31T12:00:00.000Z',
  },
})
