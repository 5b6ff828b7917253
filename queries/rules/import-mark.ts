/** A row of the ledger of imports: a pass over a batch, begun or done. */
export interface ImportStep {
  readonly previousToken: string
  readonly token: string
  readonly hosts: readonly string[]
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
  for (const { previousToken, token, hosts, state } of steps) {
    const pass = JSON.stringify([previousToken, token, hosts])
    begun.add(pass)
    if (state === 'done') done.add(pass)
  }
  if (done.size < begun.size) return undefined
  return JSON.stringify(steps.map((step) => JSON.stringify(step)).sort())
}
