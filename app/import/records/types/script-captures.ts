import { sql, toClickHouseTime } from '../../../../queries/sql/sql.ts'
import { moment, recordUuid } from '../../../../schema/record-fields.ts'
import { scriptCapture } from '../../../../schema/responses/script.ts'
import { scriptId } from '../../../../schema/rules/scripts/script-id.ts'
import { largestCapture } from '../../../../schema/scripts.ts'
import { recordType } from '../record-type.ts'
import { scriptHashField, scriptUrlField } from '../script-fields.ts'

const { finalUrl, receivedHash, size, reason, reused } = scriptCapture.shape

const capture = scriptCapture
  .extend({
    siteId: recordUuid,
    url: scriptUrlField.meta({ description: 'The script; its query is ignored.' }),
    hash: scriptHashField.meta({ description: 'The hash that the copy should have.' }),
    reason: reason.default(null),
    finalUrl: finalUrl.default(null),
    receivedHash: scriptHashField
      .nullable()
      .default(null)
      .meta({ description: receivedHash.description ?? '' }),
    size: size.default(null),
    reused: reused.default(false),
    attemptedAt: moment.nullable().default(null).meta({
      description:
        'Start of the fetch, which counts towards the limit of 100 fetches per site and UTC day. Pending captures become interrupted when a worker starts.',
    }),
  })
  .refine(({ state, reason }) => (state === 'refused') === (reason !== null), {
    path: ['reason'],
    error: 'must be set if and only if the state is refused',
  })
  .refine(({ state, receivedHash }) => (state === 'mismatched') === (receivedHash !== null), {
    path: ['receivedHash'],
    error: 'must be set if and only if the state is mismatched',
  })
  .refine(({ state, hash }) => state !== 'captured' || hash.startsWith('sha256-'), {
    path: ['hash'],
    error: 'must be a SHA-256 if the state is captured',
  })
  .refine(({ state, size }) => state !== 'captured' || (size ?? 0) <= largestCapture, {
    path: ['size'],
    error: `must be at most ${largestCapture} if the state is captured`,
  })
  .refine(({ state, size }) => size === null || (state !== 'refused' && state !== 'mismatched'), {
    path: ['size'],
    error: 'must be null if the state is refused or mismatched, because no copy is stored',
  })

/** `import captures`: one attempt a script and hash, whose result is immutable. */
export const scriptCaptures = recordType({
  name: 'captures',
  label: 'records of attempts to copy a script',
  schema: capture,
  foreignKeys: { siteId: 'site' },
  keyFields: ['siteId', 'url', 'hash'],
  siteFromFlag: true,
  table: 'script_captures',
  // Another day has other fetches.
  immutable: { state: { column: 'state', mutableWhile: 'pending', alsoWhile: sql`reason = 'daily_cap'` } },
  toRow: (record) => ({
    site_id: record.siteId,
    id: scriptId(scriptId(record.siteId, record.url), record.hash),
    script_url: record.url,
    script_hash: record.hash,
    state: record.state,
    reason: record.reason ?? '',
    source: record.source,
    fetched_url: record.fetchedUrl,
    final_url: record.finalUrl ?? '',
    received_hash: record.receivedHash ?? '',
    size: record.size,
    reused: record.reused,
    attempted_at: toClickHouseTime(record.attemptedAt ?? new Date(0)),
  }),
  example: {
    url: 'https://cdn.example.com/widget.js',
    hash: 'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=',
    state: 'captured',
    source: 'report',
    fetchedUrl: 'https://cdn.example.com/widget.js?v=3',
    finalUrl: 'https://cdn.example.com/widget.js?v=3',
    size: 48213,
  },
})
