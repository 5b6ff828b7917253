import { setTimeout as sleep } from 'node:timers/promises'

export interface Wait {
  /** Called with what is waited for, when that changes and every `stepMs`; a number that changes is the same. */
  readonly onStep?: ((step: string) => void) | undefined
  readonly timeoutMs?: number
  readonly pollMs?: number
  readonly stepMs?: number
}

/**
 * Resolves when nothing is pending.
 * @param findPending what is not done yet, for people.
 * @param fix what to do after the timeout, with which the Error ends.
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
