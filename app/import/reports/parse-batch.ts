import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { isLineError, type LineError, parseLine, reject } from '../ndjson/line-error.ts'
import { type BatchLine, type ChainedBatch, linesOf } from '../ndjson/read-batches.ts'
import { parseContent, type Rejection } from '../ndjson/rejected-line.ts'
import { isSkipped, isStoredType, normaliseReport, siteUrl } from '../normalise/normalise-report.ts'
import { type Post, readElement, readPost, withElements } from '../normalise/post.ts'
import type { UrlMask } from '../normalise/url-mask.ts'
import type { ChooseSite } from './choose-site.ts'
import type { RangeState } from './import-log.ts'
import type { ImportTally } from './import-tally.ts'
import { type BlockLimits, collectBlocks, type InsertBlock } from './insert-block.ts'
import { reportIds } from './report-id.ts'

/** Receipt times from `storedFrom` to that of the range before it. */
interface BatchRange {
  readonly storedFrom: number
  readonly retentionDays: number
  /** Rows received before it have been removed since. */
  readonly expiredBefore: number
  /** Reports of a range that is done are only counted. */
  readonly state: RangeState
}

/** Values that every report of a batch shares. */
export interface ImportContext<Range extends BatchRange> {
  readonly tenantId: string
  readonly retentionFrom: number
  /** The latest first. */
  readonly ranges: readonly Range[]
  readonly chooseSite: ChooseSite
  /** By site; undefined for a site that stores whole URLs. */
  readonly urlMasks: ReadonlyMap<string, UrlMask | undefined>
  /** Receipt time of reports without one. */
  readonly importedAt: number
  readonly blockLimits: BlockLimits
  /** False for a report that can add an issue or a script; true for all by default. */
  readonly isKnown?: ((report: StoredReport) => boolean) | undefined
}

/** Bytes of lines, about 2 ms of parsing, between yields to the insert in flight. */
const sliceBytes = 256 * 1024

/** Maximum of distinct reasons per rejected line. */
const maxReasons = 5

/** Reads and counts reports, in the order of their ids. Undefined for a report that is not to be stored. */
function reportReader<Ranged extends { readonly range: BatchRange }>(
  ranges: readonly Ranged[],
  context: ImportContext<BatchRange>,
  tally: ImportTally,
  makeId: ReturnType<typeof reportIds>,
) {
  const { importedAt, retentionFrom } = context
  let ordinal = 0
  return (post: Post, value: unknown): (Ranged & { readonly report: StoredReport }) | LineError | undefined => {
    tally.reports++
    ordinal++
    const element = readElement(value)
    if (isLineError(element)) return element
    const { type } = element
    if (!isStoredType(type) || isSkipped(type, element)) {
      tally.skip(type)
      return undefined
    }
    const siteId = context.chooseSite(post.siteId, siteUrl(element))
    if (isLineError(siteId)) return siteId
    for (const member of element.rest.keys()) tally.unknownMember(`${type}.${member}`)
    const receivedAt = post.receivedAt ?? importedAt
    const ranged = ranges.find(({ range }) => receivedAt >= range.storedFrom)
    const isReached = ranged !== undefined && receivedAt >= retentionFrom
    if (isReached && receivedAt >= ranged.range.expiredBefore) tally.stored++
    else tally.expired++
    if (isReached && receivedAt < ranged.range.expiredBefore) tally.removed++
    if (!ranged || ranged.range.state === 'done') return undefined
    // Expired rows do not count as lost.
    if (ranged.range.state === 'restore' && receivedAt < ranged.range.expiredBefore) return undefined
    const report = normaliseReport(type, element, {
      tenantId: context.tenantId,
      siteId,
      id: makeId(ordinal, receivedAt),
      receivedAt,
      retentionDays: ranged.range.retentionDays,
      sampleRate: post.sampleRate,
      userAgent: post.userAgent,
      maskUrl: context.urlMasks.get(siteId),
    })
    return { report, ...ranged }
  }
}

/** Yields a batch's rows as insert blocks and counts its reports; `onReject` is awaited before the next line. */
export async function* parseBatch<Range extends BatchRange>(
  batch: ChainedBatch,
  context: ImportContext<Range>,
  tally: ImportTally,
  onReject: (rejection: Rejection) => void | Promise<void>,
): AsyncGenerator<{ block: InsertBlock; range: Range }> {
  const { importedAt } = context
  const ranges = context.ranges.map((range) => ({ range, blocks: collectBlocks(context.blockLimits, context.isKnown) }))
  const readReport = reportReader(ranges, context, tally, reportIds(batch.token))
  let sliceEnd = sliceBytes

  for (const batchLine of linesOf(batch)) {
    const { line, text, start, end } = batchLine
    const bytes = end - start
    const post = readLine(batchLine, importedAt)
    if (post !== undefined) tally.posts++
    if (isLineError(post)) {
      tally.rejected++
      const content = batchLine.error === undefined ? parseContent(text) : {}
      await onReject({ line, reason: post.reason, content, bytes })
    } else if (post) {
      const rejected: unknown[] = []
      const reasons = new Set<string>()
      for (const value of post.elements) {
        const read = readReport(post, value)
        if (isLineError(read)) {
          rejected.push(value)
          if (reasons.size < maxReasons) reasons.add(read.reason)
        } else if (read) {
          const block = read.blocks.add(read.report)
          if (block) yield { block, range: read.range }
        }
      }
      tally.rejected += rejected.length
      if (rejected.length > 0) {
        const content = withElements(post, rejected, importedAt)
        await onReject({ line, reason: [...reasons].join('; '), content, bytes })
      }
    }
    if (end >= sliceEnd) {
      sliceEnd = end + sliceBytes
      await yieldToEventLoop()
    }
  }
  for (const { range, blocks } of ranges) {
    const block = blocks.rest()
    if (block) yield { block, range }
  }
}

function readLine({ text, error }: BatchLine, now: number): Post | LineError | undefined {
  if (error !== undefined) return reject(error)
  const json = parseLine(text)
  return json === undefined || isLineError(json) ? json : readPost(json, now)
}
