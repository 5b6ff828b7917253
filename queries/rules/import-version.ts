import { hash } from 'node:crypto'

/** How long one look at the ledger of imports serves who asks, from before it was begun, in milliseconds. */
export const lookMilliseconds = 500

/** A row of the ledger of imports. */
export interface ImportStep {
  /** Of the batch. */
  readonly token: string
  readonly state: string
  /** RFC 3339, all of one length. */
  readonly recordedAt: string
}

/**
 * What tells one state of a tenant's imports from any other, from all they noted in the last hour; undefined while one
 * is under way. An import whose ledger is silent for an hour is taken for cut off.
 */
export function importMark(steps: readonly ImportStep[]): string | undefined {
  const latest = new Map<string, ImportStep>()
  for (const step of steps) {
    const known = latest.get(step.token)
    if (!known || isLater(step, known)) latest.set(step.token, step)
  }
  for (const { state } of latest.values()) if (state !== 'done') return undefined
  const rows = steps.map(({ token, state, recordedAt }) => JSON.stringify([token, state, recordedAt])).sort()
  // Short, because every kept answer has one.
  return hash('sha256', rows.join('\n'), 'base64url')
}

/** Of two in one millisecond the one that is not done counts, to be safe. */
const isLater = (step: ImportStep, than: ImportStep) =>
  step.recordedAt > than.recordedAt || (step.recordedAt === than.recordedAt && step.state !== 'done')
