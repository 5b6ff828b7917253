export interface CircuitBreaker {
  /** Rejects with the probe's error while ClickHouse does not respond. */
  admit(): Promise<void>
  /** Called for a read without a response; starts the probing. */
  suspect(): void
}

/** Called with the probe's error when an outage begins, and without one when it ends. */
export type OnOutage = (error: Error | undefined) => void

/** After a read without a response, later reads wait for one shared probe, and fail with it, until one succeeds. */
export function createCircuitBreaker(probe: () => Promise<unknown>, onOutage: OnOutage): CircuitBreaker {
  let suspected = false
  let isOpen = false
  let probing: Promise<void> | undefined

  async function check(): Promise<void> {
    try {
      await probe()
      suspected = false
      if (isOpen) onOutage(undefined)
      isOpen = false
    } catch (error) {
      if (!isOpen) onOutage(error as Error)
      isOpen = true
      throw error
    } finally {
      probing = undefined
    }
  }

  return {
    async admit() {
      if (!suspected) return
      probing ??= check()
      await probing
    },
    suspect() {
      if (suspected) return
      suspected = true
      probing = check()
      // Reads that wait for the probe get its error.
      probing.catch(() => undefined)
    },
  }
}
