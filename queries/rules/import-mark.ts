import { createHash } from 'node:crypto'

/** A row of the ledger of imports: a pass over a batch, begun or done. */
export interface ImportStep {
  /** Tells the pass from every other. */
  readonly pass: string
  readonly state: string
  readonly recordedAt: string
}

/**
 * What tells one state of a tenant's imports from any other, from all they noted in the last hour; undefined while one
 * is under way. An import whose ledger is silent for an hour is taken for cut off.
 */
export function importMark(steps: readonly ImportStep[]): string | undefined {
  const begun = new Set<string>()
  const done = new Set<string>()
  for (const { pass, state } of steps) {
    begun.add(pass)
    if (state === 'done') done.add(pass)
  }
  if (done.size < begun.size) return undefined
  const rows = steps.map(({ pass, state, recordedAt }) => JSON.stringify([pass, state, recordedAt])).sort()
  // Short, because every kept answer has one.
  return createHash('sha256').update(rows.join('\n')).digest('base64url')
}
