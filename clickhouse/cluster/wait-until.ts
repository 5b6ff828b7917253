import { setTimeout as sleep } from 'node:timers/promises'

export interface Wait {
  /** Called with the pending work, when it changes and every `stepMs`; a changed number does not count as a change. */
  readonly onStep?: ((step: string) => void) | undefined
  readonly timeoutMs?: number
  readonly pollMs?: number
  readonly stepMs?: number
}

/**
 * Resolves when nothing is pending.
 * @param findPending describes pending work for people.
 * @param fix advice at the end of the Error after the timeout.
 */
export async function waitUntil(
  findPending: () => Promise<string | undefined>,
  fix: string,
  { onStep = () => {}, timeoutMs = 60_000, pollMs = 250, stepMs = 5_000 }: Wait = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let shown = ''
  let shownAt = -Infinity
  for (;;) {
    const pending = await findPending()
    if (pending === undefined) return
    if (Date.now() >= deadline) throw new Error(`${pending}, after ${timeoutMs / 1000} s: ${fix}`)
    const subject = pending.replaceAll(/\d+/g, '')
    if (subject !== shown || Date.now() - shownAt > stepMs) {
      onStep(`Waiting: ${pending}`)
      shown = subject
      shownAt = Date.now()
    }
    await sleep(pollMs)
  }
}
