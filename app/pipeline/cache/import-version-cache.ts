import { LRUCache } from 'lru-cache'
import type { Read } from '../../../queries/query.ts'
import { importMark, lookMilliseconds } from '../../../queries/rules/import-mark.ts'
import { listImportSteps } from '../../../queries/tenants/list-import-steps.ts'
import { Problem } from '../../../schema/problems.ts'

/** From this age of a look on the next is begun, in milliseconds, while requests go on with it and none waits. */
const nextLookFrom = lookMilliseconds - 150
/** How long none is made after one that failed. */
const failedLookMilliseconds = 5_000
const lookedAtTenants = 10_000
/** A tenant that imports more than this in an hour is asked anew every time. */
const mostSteps = 500

/** A look at a tenant's ledger. */
interface Look {
  /** By the clock of the looks. */
  readonly begunAt: number
  readonly found: Promise<string | undefined>
  /** What was found: none while it is under way, or an import is. */
  mark?: string | undefined
  /** Whether the next was begun. */
  followed?: true
}

/** Marks of tenants' imports, each as one look at the ledger found it; a look serves `lookMilliseconds`. */
export interface LooksAtImports {
  /** What the look of the moment found; undefined where there is none, where it failed, and while an import is under way. */
  standing(tenantId: string): string | undefined
  /** The same, or what a look finds that is under way or begun for it. Throws what `read` throws, except a Problem. */
  find(tenantId: string, read: Read): Promise<string | undefined>
  /** Begins the look after one that found a mark and whose time is nearly over. */
  lookAhead(tenantId: string, read: () => Read): void
}

/** @param now milliseconds since any moment, of a clock that no one can set. */
export function createLooksAtImports(now: () => number): LooksAtImports {
  const looks = new LRUCache<string, Look>({
    // A timer to remember the time by would cost more than to ask for it, and be late.
    ttlResolution: 0,
    perf: { now },
    max: lookedAtTenants,
  })

  /** A look's time counts from when it was begun, because what it found is as old as that. */
  function keep(tenantId: string, look: Look, ttl: number = lookMilliseconds): void {
    looks.set(tenantId, look, { start: look.begunAt, ttl })
  }

  async function lookAtLedger(tenantId: string, read: Read): Promise<string | undefined> {
    try {
      const steps = await read(listImportSteps(tenantId, mostSteps + 1))
      return steps.length > mostSteps ? undefined : importMark(steps)
    } catch (error) {
      // A store too busy for a look-up in its short time may still answer the question in its own.
      if (!(error instanceof Problem)) throw error
      keep(tenantId, { begunAt: now(), found: Promise.resolve(undefined) }, failedLookMilliseconds)
      return undefined
    }
  }

  function begin(tenantId: string, read: Read): Look {
    const begunAt = now()
    const found = lookAtLedger(tenantId, read).then((mark) => {
      look.mark = mark
      return mark
    })
    const look: Look = { begunAt, found }
    return look
  }

  return {
    standing: (tenantId) => looks.get(tenantId)?.mark,
    find(tenantId, read) {
      const recent = looks.get(tenantId)
      if (recent) return recent.found
      const look = begin(tenantId, read)
      keep(tenantId, look)
      return look.found
    },
    lookAhead(tenantId, read) {
      const recent = looks.get(tenantId)
      if (!recent?.mark || recent.followed || now() < recent.begunAt + nextLookFrom) return
      recent.followed = true
      const look = begin(tenantId, read())
      const take = () => {
        // A later look, or that this one failed, may have taken the place.
        if (looks.peek(tenantId, { allowStale: true }) === recent) keep(tenantId, look)
      }
      // Whoever waits for a look hears of its error.
      look.found.then(take, () => undefined)
    },
  }
}
