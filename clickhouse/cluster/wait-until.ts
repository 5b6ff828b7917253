import { setTimeout as sleep } from 'node:timers/promises'

export interface Wait {
  /** Called with what is waited for, when that changes and every 5 s. */
  readonly onStep?: ((step: string) => void) | undefined
  readonly timeoutMs?: number
  readonly pollMs?: number
}

const stepMs = 5_000

/**
 * Resolves when nothing is pending.
 * @param findPending what is not done yet, for people.
 * @param fix what to do after the timeout, with which the Error ends.
 */
export async function waitUntil(
  findPending: () => Promise<string | undefined>,
  fix: string,
  { onStep = () => {}, timeoutMs = 60_000, pollMs = 250 }: Wait = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let shown = ''
  let shownAt = -Infinity
  for (;;) {
    const pending = await findPending()
    if (pending === undefined) return
    if (Date.now() >= deadline) throw new Error(`${pending}, after ${timeoutMs / 1000} s: ${fix}`)
    if (pending !== shown || Date.now() - shownAt > stepMs) {
      onStep(`Waiting: ${pending}`)
      shown = pending
      shownAt = Date.now()
    }
    await sleep(pollMs)
  }
}
