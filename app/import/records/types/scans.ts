import { z } from 'zod'
import { sql, times, toClickHouseTime, uuids } from '../../../../queries/sql/sql.ts'
import { moreHeaders, watchedHeaders } from '../../../../schema/enumerations.ts'
import { moment } from '../../../../schema/record-fields.ts'
import { type Scan, scan } from '../../../../schema/responses/scan.ts'
import type { ScannedScript } from '../../../../schema/responses/scanned-script.ts'
import { headerForm } from '../../../../schema/rules/scans/header-form.ts'
import { scriptUrl } from '../../../../schema/rules/scripts/script-url.ts'
import { recordType } from '../record-type.ts'

const { result } = scan.shape

/** Levels of nesting; JSON.stringify recurses, JSON.parse does not. */
const maxResultDepth = 64

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1))
}

/** A contradiction within a record: the field, and its requirement. */
type Fault = readonly [path: readonly (string | number)[], must: string]

/** Fields that every complete scan has, and no failed one. */
const completeFields = ['grade', 'score', 'headers', 'result'] as const

type ScanRecord = Pick<
  Scan,
  'status' | 'failureReason' | 'failureMessage' | 'scripts' | (typeof completeFields)[number]
>

function scanFaults(record: ScanRecord): Fault[] {
  const failed = record.status === 'failed'
  const [absent, present] = failed
    ? ([[...completeFields, 'scripts'], ['failureReason']] as const)
    : ([['failureReason', 'failureMessage'], completeFields] as const)
  const faults = (names: readonly (typeof absent | typeof present)[number][], mustBeNull: boolean) =>
    names
      .filter((name) => (record[name] === null) !== mustBeNull)
      .map((name): Fault => [[name], `must ${mustBeNull ? '' : 'not '}be null for a ${record.status} scan`])
  return [
    ...faults(absent, true),
    ...faults(present, false),
    ...(record.scripts ?? []).flatMap((script, index) =>
      scriptFaults(script).map(([path, must]): Fault => [['scripts', index, ...path], must]),
    ),
  ]
}

function scriptFaults({ url, identityUrl, outcome, hash, size, problem, cors }: ScannedScript): Fault[] {
  const hashed = outcome === 'hashed'
  const fetched = hashed || outcome === 'failed'
  const only = 'if and only if the outcome is hashed'
  const faults: readonly (readonly [boolean, Fault])[] = [
    [hashed !== (hash !== null), [['hash'], `must be set ${only}`]],
    [hashed !== (size !== null), [['size'], `must be set ${only}`]],
    [hashed !== (problem === null), [['problem'], `must be null ${only}`]],
    [fetched && url === null, [['url'], 'must not be null for a fetched script']],
    [!fetched && cors !== null, [['cors'], 'must be null for a script that was not fetched']],
    [
      identityUrl !== (scriptUrl(url ?? '') || null),
      [['identityUrl'], 'must be the url without user, query and fragment, or null if it is not http or https'],
    ],
  ]
  return faults.filter(([wrong]) => wrong).map(([, fault]) => fault)
}

export const scans = recordType({
  name: 'scans',
  label: 'scans of monitored pages',
  endpointPath: '/v1/sites/{siteId}/pages/{pageId}/scans/{scanId}',
  schema: scan
    .omit({ consecutiveFailures: true, changes: true })
    .extend({
      scannedAt: moment,
      // zod drops an own __proto__, so this check runs before it.
      result: z
        .unknown()
        .refine((value) => !Object.hasOwn(Object(value), '__proto__'), { error: 'must not have a member __proto__' })
        .pipe(
          result
            .unwrap()
            .refine((value) => isShallow(value, maxResultDepth), {
              error: `must not nest deeper than ${maxResultDepth} levels`,
            })
            .nullable(),
        )
        .meta({ type: ['object', 'null'], description: result.description ?? '' }),
    })
    .superRefine((record, context) => {
      for (const [path, must] of scanFaults(record))
        context.addIssue({ code: 'custom', path: [...path], message: must })
    }),
  derived: ['consecutiveFailures', 'changes'],
  foreignKeys: { pageId: 'page' },
  table: 'page_scans',
  immutable: { pageId: 'page_id', scannedAt: 'scanned_at' },
  preserved: {
    column: 'scripts',
    around: (rows) =>
      sql`page_id IN ${uuids([...new Set(rows.map(({ page_id }) => String(page_id)))])} AND scanned_at IN ${times(rows.map(({ scanned_at }) => new Date(`${scanned_at}Z`)))}`,
  },
  toRow: (record) => ({
    page_id: record.pageId,
    scanned_at: toClickHouseTime(record.scannedAt),
    id: record.id,
    status: record.status,
    failure_reason: record.failureReason ?? '',
    failure_message: record.failureMessage ?? '',
    rubric_version: record.rubricVersion,
    grade: record.grade ?? '',
    score: record.score ?? 0,
    scan_url: record.scanUrl,
    final_url: record.finalUrl ?? '',
    status_code: record.statusCode ?? 0,
    headers: comparableHeaders(record.headers),
    more_headers: recordedHeaders(record.result),
    ...inlineColumns(record.result),
    result: toStored(record.result),
    // A complete scan without scripts was read on a plan without script authorization: undefined preserves them.
    scripts: record.status === 'complete' && record.scripts === null ? undefined : toStored(record.scripts),
  }),
  example: {
    id: '5b1e0d9c-7a32-4c58-8f61-2d3e4f5a6b7c',
    pageId: '3f0c2a5e-8d41-4b6f-9a57-0c1d2e3f4a5b',
    scannedAt: '2026-01-31T04:00:00.000Z',
    scanUrl: 'https://shop.example.com/checkout/demo/pay',
    status: 'failed',
    failureReason: 'timeout',
    failureMessage: 'The page did not respond within 30 seconds',
    rubricVersion: 3,
    grade: null,
    score: null,
    finalUrl: null,
    statusCode: null,
    headers: null,
    result: null,
    scripts: null,
  },
})

/** Headers that were sent, in the order of `watchedHeaders`. */
function comparableHeaders(headers: Scan['headers']): Record<string, string> {
  const sent = watchedHeaders.flatMap((header) => {
    const value = headers?.[header] ?? null
    return value === null ? [] : [[header, headerForm(header, value)] as const]
  })
  return Object.fromEntries(sent)
}

/** `result.moreHeaders` in comparable form, '' for a header that was not sent. */
function recordedHeaders(graded: Scan['result']): Record<string, string> {
  const recorded: Readonly<Record<string, unknown>> = Object(graded?.moreHeaders)
  const values = moreHeaders.flatMap((header) => {
    const value = recorded[header]
    return value === null || typeof value === 'string' ? [[header, headerForm(header, value ?? '')] as const] : []
  })
  return Object.fromEntries(values)
}

/** The form in which the worker's scans list inline scripts; a list in another form is stored only as JSON. */
const inlineScripts = z.array(z.looseObject({ hash: z.string().max(100), sample: z.string().max(1_000) })).max(10_000)

function inlineColumns(graded: Scan['result']) {
  const { data = [], success } = inlineScripts.safeParse(graded?.inlineScripts)
  return {
    inline_hashes: data.map(({ hash }) => hash),
    inline_samples: data.map(({ sample }) => sample),
    inline_listed: success,
  }
}

const toStored = (value: object | null) => (value === null ? '' : JSON.stringify(value))
