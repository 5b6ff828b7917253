import { hash } from 'node:crypto'

export interface ImportStep {
  readonly token: string
  readonly state: string
  /** RFC 3339, all of one length. */
  readonly recordedAt: string
}

/**
 * Hash of the last hour's import log. Undefined during an import, which counts as interrupted after an hour without a
 * row.
 */
export function importVersion(steps: readonly ImportStep[]): string | undefined {
  const latest = new Map<string, ImportStep>()
  for (const step of steps) {
    const known = latest.get(step.token)
    if (!known || isLater(step, known)) latest.set(step.token, step)
  }
  for (const { state } of latest.values()) if (state !== 'done') return undefined
  const rows = steps.map(({ token, state, recordedAt }) => JSON.stringify([token, state, recordedAt])).sort()
  // Short, because each cached response holds one.
  return hash('sha256', rows.join('\n'), 'base64url')
}

/** If two rows have the same millisecond, the unfinished one counts. */
const isLater = (step: ImportStep, than: ImportStep) =>
  step.recordedAt > than.recordedAt || (step.recordedAt === than.recordedAt && step.state !== 'done')
