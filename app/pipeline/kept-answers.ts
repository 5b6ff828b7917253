import { LRUCache } from 'lru-cache'
import type { Read } from '../../queries/query.ts'
import { importMark } from '../../queries/rules/import-mark.ts'
import { listImportSteps } from '../../queries/tenants/list-import-steps.ts'
import { Problem } from '../../schema/problems.ts'
import type { Content } from './answer-data.ts'

/** How long rows that were changed by hand, past the import, can go unnoticed. */
const keptMilliseconds = 60_000
/** Questions and answers together. */
const keptBytes = 32 * 1024 * 1024
/** What keeping one takes beside its text. */
const entryBytes = 500
const largestBytes = 2 * 1024 * 1024
/** How long a mark serves to keep answers under; whether they stand is asked anew each time. */
const markMilliseconds = 5_000
const markedTenants = 10_000
/** A tenant that imports more than this in an hour is asked anew every time. */
const mostSteps = 500

/** What a question needs to be known again, and to be asked. */
export interface KeptQuestion {
  /** All that the answer depends on, but the tenant's reports. */
  readonly question: string
  readonly tenantId: string
  readonly read: Read
  readonly ask: () => Promise<Content>
  /** Hears that the answer was not asked for again. */
  readonly onKept: () => void
}

/** An answer, and a mark of its tenant's imports from before it was asked for; none of a question asked once. */
interface Kept {
  readonly answer?: { readonly content: Content; readonly mark: string }
}

/**
 * Answers a question that is asked again by what was answered before, while no import has been since: one look at the
 * ledger instead of the question. Nothing is kept of a question that is asked once, nor while an import is under way.
 */
export function createKeptAnswers(now = () => performance.now()): (asked: KeptQuestion) => Promise<Content> {
  const kept = new LRUCache<string, Kept>({
    ttl: keptMilliseconds,
    perf: { now },
    maxSize: keptBytes,
    maxEntrySize: largestBytes,
    sizeCalculation: ({ answer }, question) => entryBytes + question.length + (answer?.content.bytes ?? 0),
  })
  const marks = new LRUCache<string, { readonly mark: string | undefined }>({
    ttl: markMilliseconds,
    perf: { now },
    max: markedTenants,
  })

  async function lookAtLedger(tenantId: string, read: Read): Promise<string | undefined> {
    try {
      const steps = await read(listImportSteps(tenantId, mostSteps + 1))
      return steps.length > mostSteps ? undefined : importMark(steps)
    } catch (error) {
      // A store too busy for a look-up in its short time may still answer the question in its own.
      if (error instanceof Problem) return undefined
      throw error
    }
  }

  async function readMark(tenantId: string, read: Read): Promise<string | undefined> {
    const start = now()
    const mark = await lookAtLedger(tenantId, read)
    marks.set(tenantId, { mark }, { start })
    return mark
  }

  return async function answerOf({ question, tenantId, read, ask, onKept }) {
    const before = kept.get(question)
    if (before?.answer && before.answer.mark === (await readMark(tenantId, read))) {
      onKept()
      return before.answer.content
    }
    if (!before || before.answer) {
      kept.set(question, {})
      return ask()
    }
    // Any mark from before the answer will do: what an import stores later is under another.
    const { mark } = marks.get(tenantId) ?? { mark: await readMark(tenantId, read) }
    const content = await ask()
    if (mark !== undefined) kept.set(question, { answer: { content, mark } })
    return content
  }
}
