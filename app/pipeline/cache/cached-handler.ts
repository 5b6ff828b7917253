import type { Read } from '../../../queries/query.ts'
import { contentOf } from '../conditional-response.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Answered, KeptAnswers } from './response-cache.ts'
import { shareUnderWay } from './single-flight.ts'

/** A question of one operation: validated, owned and within budget. */
interface Question {
  readonly tenantId: string
  /** What the caller sent. */
  readonly sent: unknown
  /** What the moment of asking made of it. */
  readonly windows: unknown
  /** Gives the 200 body. */
  readonly ask: (read: Read) => Promise<unknown>
  /** Reads for the caller, until a signal is aborted. */
  readonly readUntil: (leaving?: AbortSignal) => Read
  /** Aborted when the caller leaves. */
  readonly untilLeft: () => AbortSignal
}

/** Gives an operation's answers: one that is kept, one that is shared with whoever asks the same now, or a new one. */
export function answersOf(
  { name, ofKey, ofReports }: Endpoint,
  keptAnswers: KeptAnswers,
): (question: Question) => Promise<Answered> {
  const share = shareUnderWay<Answered>()

  return async ({ tenantId, sent, windows, ask, readUntil, untilLeft }) => {
    const contentUntil = async (left: AbortSignal) => contentOf(JSON.stringify(await ask(readUntil(left))))
    const anew = async (left: AbortSignal) => ({ content: await contentUntil(left), kept: false })
    if (ofKey) return anew(untilLeft())
    const asked = JSON.stringify([tenantId, sent])
    if (!ofReports) return share(asked, anew, untilLeft())
    const question = `${name} ${asked} ${JSON.stringify(windows)}`
    const standing = keptAnswers.standing(question, tenantId, readUntil)
    if (standing) return { content: standing, kept: true }
    const again = (allLeft: AbortSignal) =>
      keptAnswers.answer({ question, tenantId, read: readUntil(), ask: () => contentUntil(allLeft) })
    return share(asked, again, untilLeft())
  }
}
