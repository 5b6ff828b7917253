/** Asks a question for all who came before it was asked: nobody gets an answer that was asked for before they came. */
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
    const forget = () => {
      if (!asking.next) underWay.delete(question)
    }
    answer.then(forget, forget)
    return answer
  }

  return (question, ask) => {
    const asking = underWay.get(question)
    if (!asking) return begin(question, ask)
    const askNext = () => begin(question, ask)
    asking.next ??= asking.answer.then(askNext, askNext)
    return asking.next
  }
}
