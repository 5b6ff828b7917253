import { seeded } from '../../fixtures/seeded.ts'
import type { TimeRange } from '../../queries/rollups/time-range.ts'
import { dayMs } from '../../schema/durations.ts'
import { canonicalOf } from './answers.ts'
import { type Contestant, NotServed, type Taken } from './contestants.ts'
import { percentile } from './percentile.ts'
import type { Question } from './question.ts'
import type { QuestionResult, Timing } from './results.ts'
import { missedTargets } from './targets.ts'

/** All that are asked the same questions. */
export interface Contestants {
  readonly api: Contestant
  /** These are left out where they are not to be asked. */
  readonly plain?: Contestant
  readonly duckDb?: Contestant
}

const names = ['api', 'plain', 'duckDb'] as const
type Name = (typeof names)[number]

/** How questions are asked. */
export interface Asking {
  /** Measured runs a question; one more before them warms up and is not measured. */
  readonly runs: number
  readonly seed: number
  /** The span of the reports. */
  readonly span: TimeRange
}

/** Windows end within the last two days, so that the window before a month's is within the reports. */
const latestDays = 2

/** Windows to the millisecond, the same for the same seed. */
function drawWindows({ days }: Question, { runs, seed, span }: Asking): TimeRange[] {
  const random = seeded(seed)
  return Array.from({ length: runs + 1 }, () => {
    const to = span.to - random.between(1, latestDays * dayMs)
    return { from: to - Math.round(days * dayMs), to }
  })
}

/** Asks questions and forgets the answers, so that a process that was just started has its code compiled. */
export async function warmUp(contestant: Contestant, questions: readonly Question[], asking: Asking): Promise<void> {
  for (const question of questions) {
    for (const window of drawWindows(question, { ...asking, runs: 2, seed: asking.seed + 1 })) {
      await contestant.ask(question, window).catch(() => undefined)
    }
  }
}

/** Asks every contestant in turn, checks that they agree, and tells what each took. */
export async function measureQuestion(
  question: Question,
  contestants: Contestants,
  asking: Asking,
): Promise<QuestionResult> {
  const taken: Record<Name, Taken[]> = { api: [], plain: [], duckDb: [] }
  const gaveUp = new Map<Name, string>()
  for (const [run, window] of drawWindows(question, asking).entries()) {
    const answers = new Map<Name, Taken>()
    // Each goes first as often as the others.
    const turn = names.map((_, index) => names[(index + run) % names.length] as Name)
    for (const name of turn.filter((each) => !gaveUp.has(each))) {
      const contestant = contestants[name]
      if (!contestant) continue
      try {
        answers.set(name, await contestant.ask(question, window))
      } catch (error) {
        if (error instanceof NotServed) return { name: question.name, status: 'not served' }
        gaveUp.set(name, error instanceof Error ? error.message : String(error))
      }
    }
    const difference = differenceOf(answers)
    if (difference) return { name: question.name, status: 'different answers', note: difference }
    if (run > 0) for (const [name, one] of answers) taken[name].push(one)
  }
  return summed(question, taken, gaveUp)
}

function differenceOf(answers: ReadonlyMap<Name, Taken>): string | undefined {
  const said = [...answers].map(([name, { answer }]) => [name, JSON.stringify(canonicalOf(answer))] as const)
  if (new Set(said.map(([, text]) => text)).size <= 1) return undefined
  return said.map(([name, text]) => `${name} ${text}`).join(', ')
}

function summed(
  question: Question,
  taken: Readonly<Record<Name, readonly Taken[]>>,
  gaveUp: ReadonlyMap<Name, string>,
): QuestionResult {
  const timings = Object.fromEntries(
    names.filter((name) => taken[name].length > 0).map((name) => [name, timingOf(taken[name])]),
  ) as Partial<Record<Name, Timing>>
  const { api, plain, duckDb } = timings
  const measured = {
    plainRatio: api && plain && plain.p50 / api.p50,
    duckDbRatio: api && duckDb && duckDb.p50 / api.p50,
  }
  const note = [...gaveUp].map(([name, reason]) => `${name} gave up: ${reason}`).join('; ')
  return {
    name: question.name,
    status: 'measured',
    ...timings,
    ...measured,
    missed: [...missedTargets(measured, question.target), ...(gaveUp.has('api') ? ['no answer'] : [])],
    ...(note && { note }),
  }
}

function timingOf(taken: readonly Taken[]): Timing {
  const milliseconds = taken.map((one) => one.milliseconds)
  const median = (values: readonly (number | undefined)[]) =>
    percentile(
      values.map((value) => value ?? 0),
      0.5,
    )
  return {
    p50: percentile(milliseconds, 0.5),
    p95: percentile(milliseconds, 0.95),
    cpu: taken.reduce((sum, { cpuMilliseconds }) => sum + cpuMilliseconds, 0) / taken.length,
    rowsRead: median(taken.map(({ rowsRead }) => rowsRead)),
    bytesRead: median(taken.map(({ bytesRead }) => bytesRead)),
  }
}
