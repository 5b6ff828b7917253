import { hash } from 'node:crypto'
import { lookUpHosts } from './host-patterns.ts'
import type { BatchPass, KnownPass } from './import-ledger.ts'
import type { ChainedBatch } from './read-batches.ts'

/** The passes of one batch, earlier ones and perhaps a new one. */
export interface PassPlan {
  readonly passes: readonly KnownPass[]
  /** Which pass sends the reports of a host, by index; '' is a report whose site is named. */
  passOf(hostname: string): number
}

/**
 * Plans what to send of a batch: every report belongs to the first pass that knew its host, and hosts that no pass
 * knew make a new one.
 * @param hosts patterns of the tenant's sites now.
 * @param importedAt receipt time for reports of a new batch that carry none.
 */
export function planPasses(
  batch: Pick<ChainedBatch, 'token' | 'ends'>,
  previousToken: string,
  earlier: readonly KnownPass[],
  hosts: readonly string[],
  importedAt: number,
): PassPlan {
  const known = new Set(earlier.flatMap((pass) => pass.hosts))
  const added = hosts.filter((host) => !known.has(host)).sort()
  const passes = [...earlier]
  if (passes.length === 0 || added.length > 0) {
    const first = earlier[0]
    passes.push({
      previousToken,
      token: batch.token,
      lines: batch.ends.length,
      hosts: added,
      importedAt: first?.importedAt ?? importedAt,
      done: false,
    })
  }
  return { passes, passOf: firstPassByHost(passes) }
}

function firstPassByHost(passes: readonly KnownPass[]): (hostname: string) => number {
  if (passes.length === 1) return () => 0
  const lookups = passes.map(({ hosts }) => lookUpHosts(new Map(hosts.map((host) => [host, true]))))
  return (hostname) => (hostname === '' ? 0 : lookups.findIndex((knows) => knows(hostname)))
}

/** The token before the first batch; `v1` changes whenever the same lines would make other rows. */
export function firstToken(tenantId: string, siteId: string | undefined): string {
  return hash('sha256', `reports v1\n${tenantId}\n${siteId ?? ''}\n`, 'hex')
}

/** The deduplication token of one insert of a pass. */
export function insertToken(pass: BatchPass, part: number): string {
  return hash('sha256', `${pass.token}\n${pass.hosts.join('\n')}\n${part}`, 'hex')
}
