import { expect } from 'vitest'
import { createKeptAnswers } from '../../app/pipeline/cache/response-cache.ts'
import { contentOf } from '../../app/pipeline/conditional-response.ts'
import type { Read } from '../../queries/query.ts'
import type { ImportStep } from '../../queries/rules/import-mark.ts'

/** Asks through answers of its own; tells how often the question itself was asked. */
export function createAsker() {
  const steps: ImportStep[] = []
  let marks = 0
  let failure: Error | undefined
  let held: Promise<void> | undefined
  const clock = { now: 1 }
  const answers = createKeptAnswers(() => clock.now)
  const read: Read = async ({ row }) => {
    marks++
    const found = steps.map((step) => row.parse(step))
    await held
    if (failure) throw failure
    return found
  }
  let times = 0
  async function ask(
    question: string,
    { text = 'answer', tenantId = 'tenant', meanwhile = () => {} } = {},
  ): Promise<number> {
    const before = times
    const content = contentOf(text)
    const standing = answers.standing(question, tenantId, () => read)
    const { content: answer, kept } = await answers.answer({
      question,
      tenantId,
      read,
      async ask() {
        times++
        meanwhile()
        return content
      },
    })
    expect(answer.plain).toBe(text)
    expect(kept).toBe(times === before)
    if (standing) expect(kept && standing).toBe(answer)
    return times - before
  }

  function later(milliseconds: number): void {
    clock.now += milliseconds
  }

  const note = (state: string) => {
    steps.push({ token: `${steps.length >> 1}`, state, recordedAt: new Date(steps.length).toISOString() })
  }
  const begin = () => note('started')
  const end = () => note('done')

  function importOne(): void {
    begin()
    end()
  }

  function failWith(error: Error | undefined): void {
    failure = error
  }

  /** Until what it returns is called. */
  function holdLooks(): () => void {
    let release = () => {}
    held = new Promise((resolve) => {
      release = resolve
    })
    return () => release()
  }

  const standing = (question: string, tenantId = 'tenant') => answers.standing(question, tenantId, () => read)?.plain

  return { later, ask, standing, holdLooks, begin, end, importOne, failWith, marks: () => marks }
}
