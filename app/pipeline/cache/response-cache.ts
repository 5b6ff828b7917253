import { LRUCache } from 'lru-cache'
import type { Read } from '../../../queries/query.ts'
import { minute } from '../../../schema/durations.ts'
import type { Content } from '../conditional-response.ts'
import { createLooksAtImports } from './import-version-cache.ts'

/** How long rows that were changed by hand, past the import, can go unnoticed; dashboards poll every minute or sooner. */
const keptMilliseconds = 5 * minute
/** Questions and answers together. */
const keptBytes = 32 * 1024 * 1024
/** What keeping one takes beside its text. */
const entryBytes = 500
const largestBytes = 2 * 1024 * 1024

/** What a question needs to be known again, and to be asked. */
export interface KeptQuestion {
  /** All that the answer depends on, but the tenant's reports. */
  readonly question: string
  readonly tenantId: string
  /** Goes on when the caller leaves, because others wait for what it reads. */
  readonly read: Read
  readonly ask: () => Promise<Content>
}

/** What a question is answered, and whether that was kept instead of asked for. */
export interface Answered {
  readonly content: Content
  readonly kept: boolean
}

/** Answers of before. */
export interface KeptAnswers {
  /**
   * The answer that stands by the latest look; undefined where only a look or an asking can tell.
   * @param read gives what the next look is made with, so that none waits for it.
   */
  standing(question: string, tenantId: string, read: () => Read): Content | undefined
  /** The answer that stands, or is asked for. */
  answer(asked: KeptQuestion): Promise<Answered>
}

/** What is known of a question that was asked lately. */
interface Known {
  /** Its answer, with a mark of the tenant's imports from before it was asked for; none of a question asked once. */
  readonly kept?: {
    readonly content: Content
    readonly mark: string
    /** When it must be asked for anew, by the clock. */
    readonly until: number
  }
}

/**
 * Answers a question that is asked again by what was answered before, while no import has been since: a look at the
 * ledger instead of the question, and one look for all who ask within half a second, the next of which is begun before its
 * time is over. Nothing is kept of a question that is asked once, nor while an import is under way.
 */
export function createKeptAnswers(now = () => performance.now()): KeptAnswers {
  const known = new LRUCache<string, Known>({
    ttl: keptMilliseconds,
    updateAgeOnGet: true,
    // A timer to remember the time by would cost more than to ask for it, and be late.
    ttlResolution: 0,
    perf: { now },
    maxSize: keptBytes,
    maxEntrySize: largestBytes,
    sizeCalculation: ({ kept }, question) => entryBytes + question.length + (kept?.content.bytes ?? 0),
  })
  const looks = createLooksAtImports(now)

  function keptUnder(question: string, mark: string | undefined): Content | undefined {
    const kept = known.get(question)?.kept
    return kept && kept.mark === mark && now() < kept.until ? kept.content : undefined
  }

  return {
    standing(question, tenantId, read) {
      const standing = keptUnder(question, looks.standing(tenantId))
      if (standing) looks.lookAhead(tenantId, read)
      return standing
    },
    async answer({ question, tenantId, read, ask }) {
      if (!known.has(question)) {
        known.set(question, {})
        return { content: await ask(), kept: false }
      }
      const start = now()
      const mark = await looks.find(tenantId, read)
      const standing = keptUnder(question, mark)
      if (standing) return { content: standing, kept: true }
      const content = await ask()
      known.set(question, mark === undefined ? {} : { kept: { content, mark, until: start + keptMilliseconds } })
      return { content, kept: false }
    },
  }
}
