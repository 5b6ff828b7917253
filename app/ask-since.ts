/**
 * Asks a question for all who came before it was asked: nobody gets an answer that was asked for before they came. An error
 * is that of all who wait, those who came since too.
 */
export type AskSince<Answer> = (question: string, ask: () => Promise<Answer>) => Promise<Answer>

interface Asking<Answer> {
  readonly answer: Promise<Answer>
  /** For all who came since it was asked for. */
  next?: Promise<Answer>
}

/** Of each question one is under way, and one waits for it, however many ask. */
export function createAskSince<Answer>(): AskSince<Answer> {
  const underWay = new Map<string, Asking<Answer>>()

  function begin(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const answer = ask()
    const asking: Asking<Answer> = { answer }
    underWay.set(question, asking)
    answer.then(
      () => {
        if (!asking.next) underWay.delete(question)
      },
      () => underWay.delete(question),
    )
    return answer
  }

  return (question, ask) => {
    const asking = underWay.get(question)
    if (!asking) return begin(question, ask)
    asking.next ??= asking.answer.then(() => begin(question, ask))
    return asking.next
  }
}
