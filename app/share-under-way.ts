/** Asks a question unless the same is being asked, whose answer or error it then shares. */
export type ShareUnderWay<Answer> = (question: string, ask: () => Promise<Answer>) => Promise<Answer>

/** Nothing is kept of a question once it is answered. */
export function shareUnderWay<Answer>(): ShareUnderWay<Answer> {
  const underWay = new Map<string, Promise<Answer>>()
  return (question, ask) => {
    const asked = underWay.get(question)
    if (asked) return asked
    const asking = ask().finally(() => underWay.delete(question))
    underWay.set(question, asking)
    return asking
  }
}
