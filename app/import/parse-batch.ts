import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PassPlan } from './batch-passes.ts'
import type { ChooseSite } from './choose-site.ts'
import type { ImportTally, Rejection } from './import-tally.ts'
import { isSkipped, isStoredType, normaliseReport, siteUrl } from './normalise-report.ts'
import { alone, type Post, readElement, readPost } from './post.ts'
import { type ChainedBatch, linesOf } from './read-batches.ts'
import { isRefusal, parseLine } from './refusal.ts'
import { reportIds } from './report-id.ts'
import type { CollectRows, RowPart } from './row-parts.ts'

/** What every report of an import shares. */
export interface ImportContext {
  readonly tenantId: string
  readonly retentionDays: number
  /** The first moment that retention reaches, milliseconds since the epoch. */
  readonly retentionFrom: number
  readonly chooseSite: ChooseSite
  readonly collectRows: CollectRows
}

/** Rows that are one insert of a pass. */
export interface PassPart extends RowPart {
  readonly pass: number
}

/** Lines are parsed for this many bytes before the insert under way gets a turn: about 2 ms. */
const sliceBytes = 256 * 1024

/** Of one line, so that a long one of them does not fill the memory. */
const rejectedAtOnce = 100

/** Characters of rejected reports that are kept of one line: a hostile one could have each repeat a long wrapper. */
const rejectedCharacters = 32 * 1024 * 1024

/**
 * Reads a batch's lines, counts what they hold, and gives the rows of the passes that are not done. `onReject` hears of
 * each rejection before the next line is read.
 */
export async function* parseBatch(
  batch: ChainedBatch,
  { passes, passOf }: PassPlan,
  context: ImportContext,
  tally: ImportTally,
  onReject: (rejection: Rejection) => void | Promise<void>,
): AsyncGenerator<PassPart> {
  const collectors = passes.map(({ done }) => (done ? undefined : context.collectRows()))
  const makeId = reportIds(batch.token)
  const importedAt = passes[0]?.importedAt ?? 0
  const full: PassPart[] = []
  const rejections: Rejection[] = []
  let ordinal = 0

  function importElement(post: Post, value: unknown): string | undefined {
    tally.reports++
    ordinal++
    const element = readElement(value)
    if (isRefusal(element)) return element.reason
    const { type } = element
    if (!isStoredType(type) || isSkipped(type, element)) {
      tally.skip(type)
      return undefined
    }
    const site = context.chooseSite(post.siteId, siteUrl(element))
    if (isRefusal(site)) return site.reason
    const pass = passOf(site.hostname)
    const receivedAt = post.receivedAt ?? importedAt
    if (receivedAt < context.retentionFrom) tally.expired++
    else tally.stored++
    const collector = collectors[pass]
    if (!collector) return undefined
    const part = collector.add(
      normaliseReport(type, element, {
        tenantId: context.tenantId,
        siteId: site.siteId,
        id: makeId(ordinal, receivedAt),
        receivedAt,
        retentionDays: context.retentionDays,
        sampleRate: post.sampleRate,
        userAgent: post.userAgent,
      }),
    )
    if (part) full.push({ ...part, pass })
    return undefined
  }

  /** Stops behind each report. */
  function* importLine(text: string, line: number): Generator<undefined, void> {
    const json = parseLine(text)
    if (json === undefined) return
    tally.posts++
    const post = isRefusal(json) ? json : readPost(json)
    if (isRefusal(post)) {
      rejections.push({ line, reason: post.reason, text })
      return
    }
    let room = rejectedCharacters
    let element = 0
    for (const value of post.elements) {
      const reason = importElement(post, value)
      if (reason !== undefined) {
        const own = post.elements.length === 1 ? text : room > 0 ? alone(post, value) : ''
        room -= own.length
        rejections.push({ line, element, reason, text: own })
      }
      element++
      yield undefined
    }
  }

  async function* handOn(): AsyncGenerator<PassPart> {
    for (const rejection of rejections.splice(0)) await onReject(rejection)
    yield* full.splice(0)
  }

  let sliceEnd = sliceBytes
  for (const { line, text, refusal, end } of linesOf(batch)) {
    if (refusal === undefined) {
      for (const _ of importLine(text, line))
        if (full.length > 0 || rejections.length >= rejectedAtOnce) yield* handOn()
    } else {
      tally.posts++
      rejections.push({ line, reason: refusal, text })
    }
    if (full.length > 0 || rejections.length > 0) yield* handOn()
    if (end < sliceEnd) continue
    sliceEnd = end + sliceBytes
    await nextTurn()
  }
  for (const [pass, collector] of collectors.entries()) {
    const part = collector?.rest()
    if (part) yield { ...part, pass }
  }
}
