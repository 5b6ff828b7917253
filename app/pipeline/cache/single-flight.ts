import { CallerLeft } from '../../../queries/attempts.ts'

/**
 * Asks a question unless the same is being asked, whose answer or error it then shares.
 * @param leaving aborted when the asker leaves; the promise then rejects with CallerLeft. Without it the asker stays.
 */
export type ShareUnderWay<Answer> = (
  question: string,
  ask: (allLeft: AbortSignal) => Promise<Answer>,
  leaving?: AbortSignal,
) => Promise<Answer>

interface Asking<Answer> {
  readonly answer: Promise<Answer>
  readonly allLeft: AbortController
  waiting: number
}

/** Nothing is kept of a question once it is answered, or once everyone who asked it has left. */
export function shareUnderWay<Answer>(): ShareUnderWay<Answer> {
  const underWay = new Map<string, Asking<Answer>>()

  function forget(question: string, asking: Asking<Answer>): void {
    if (underWay.get(question) === asking) underWay.delete(question)
  }

  function begin(question: string, ask: (allLeft: AbortSignal) => Promise<Answer>): Asking<Answer> {
    const allLeft = new AbortController()
    const answer = ask(allLeft.signal).finally(() => forget(question, asking))
    const asking: Asking<Answer> = { answer, allLeft, waiting: 0 }
    underWay.set(question, asking)
    return asking
  }

  return (question, ask, leaving) => {
    if (leaving?.aborted) return Promise.reject(new CallerLeft())
    const asking = underWay.get(question) ?? begin(question, ask)
    asking.waiting++
    return new Promise((resolve, reject) => {
      asking.answer.then(resolve, reject)
      leaving?.addEventListener('abort', () => {
        reject(new CallerLeft())
        if (--asking.waiting > 0) return
        // Whoever asks from now on asks anew.
        forget(question, asking)
        asking.allLeft.abort()
      })
    })
  }
}
