/** @module The loop of copies: each reported hash of a script is fetched once, to store the code that browsers ran. */

import pLimit from 'p-limit'
import {
  countCaptureFetches,
  listCapturedHashes,
  listPendingCaptures,
  listUncapturedVersions,
  type UncapturedVersion,
} from '../../../queries/scripts/captures.ts'
import { listScriptHosts } from '../../../queries/scripts/scripts.ts'
import { dayMs } from '../../../schema/durations.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import { createHostLookup } from '../../import/normalise/host-patterns.ts'
import { leaseIds } from '../../program/lease.ts'
import { reasonOf } from '../../program/log-outage.ts'
import { listScriptTenants } from '../list-script-tenants.ts'
import type { ScanLoop } from '../scans/run-scans.ts'
import { underLease } from '../under-lease.ts'
import { type CaptureFacts, decideCapture } from './decide-capture.ts'
import { fetchCapture } from './fetch-capture.ts'
import { type CaptureRecord, recordCaptures } from './record-captures.ts'

export interface CaptureLoop extends Omit<ScanLoop, 'intervalOf'> {
  /** Tenants whose scripts are fetched, and whose libraries are looked up, if the plan includes it; all by default. */
  readonly capturesOf?: ((tenantId: string) => boolean) | undefined
}

/** Rule 60, per site and UTC day. */
const fetchesOfDay = 100
/** Anyone can send reports, so half of the fetches are reserved for bytes that a scan found. */
const reportFetchesOfDay = 50
const reportRecordsOfDay = 100
const fetchesAtOnce = 6

/** Runs until `stopping`; an error ends only the current pass. */
export async function runCaptures(loop: CaptureLoop): Promise<void> {
  let isNew = false
  const onHeld = (held: boolean) => {
    isNew = held
  }
  await underLease({ ...loop, leaseId: leaseIds.captures, name: 'Copies of scripts', onHeld }, async (checkLease) => {
    if (isNew) await interruptPending(loop)
    isNew = false
    await capturePass(loop, checkLease)
    await loop.copies.sweep((hashes) => namedAmong(loop, hashes))
  })
}

/** Fetches begun by another worker that nobody will complete. */
async function interruptPending(loop: CaptureLoop): Promise<void> {
  for (const { tenantId, ...attempt } of await loop.database.read(listPendingCaptures)) {
    await recordCaptures(loop, tenantId, [{ ...attempt, state: 'interrupted' }])
  }
}

async function namedAmong({ database }: CaptureLoop, hashes: readonly string[]): Promise<Set<string>> {
  return new Set((await database.read(listCapturedHashes(hashes))).map(({ hash }) => hash))
}

async function capturePass(loop: CaptureLoop, checkLease: () => Promise<void>): Promise<void> {
  const { database, stopping, cut, log } = loop
  const tenantIds = (await listScriptTenants(loop)).map(({ id }) => id)
  if (tenantIds.length === 0) return
  const versions = await database.read(listUncapturedVersions(tenantIds, new Date(Date.now() - dayMs)))
  // If its bytes cannot be written, the only fetch of the hash would be wasted.
  if (versions.length > 0) await loop.copies.probe()
  const logged = async ({ tenantId, siteId }: OfSite, task: () => Promise<void>) => {
    if (stopping.aborted) return
    await checkLease()
    try {
      await task()
    } catch (error) {
      if (!cut.aborted) log.error({ tenantId, siteId, reason: reasonOf(error) }, 'Failed to store script copies')
    }
  }
  const fetches: (() => Promise<void>)[] = []
  for (const own of groupBy(versions, ({ siteId }) => siteId).values()) {
    const [of] = own
    if (!of) continue
    await logged(of, async () => {
      const attempts = await settle(loop, of, own)
      fetches.push(...attempts.map((attempt) => () => logged(of, () => fetchOnce(loop, of.tenantId, attempt))))
    })
  }
  const limit = pLimit(fetchesAtOnce)
  const ended = await Promise.allSettled(fetches.map((task) => limit(task)))
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason
}

type OfSite = Pick<UncapturedVersion, 'tenantId' | 'siteId'>

type Attempt = Pick<CaptureRecord, 'siteId' | 'url' | 'hash' | 'source' | 'fetchedUrl'>

/** Records scripts that need no fetch, and returns the others. */
async function settle(
  loop: CaptureLoop,
  { tenantId, siteId }: OfSite,
  versions: readonly UncapturedVersion[],
): Promise<Attempt[]> {
  const { database, copies, settings } = loop
  const today = new Date(Math.floor(Date.now() / dayMs) * dayMs)
  const [[counted], hosts, scanned] = await Promise.all([
    database.read(countCaptureFetches(tenantId, siteId, today)),
    database.read(listScriptHosts(tenantId, siteId)),
    database.read(listUncapturedVersions([tenantId], new Date(Date.now() - dayMs), siteId)),
  ])
  const findHost = createHostLookup(new Map(hosts.map(({ host }) => [host, true])))
  const facts: Omit<CaptureFacts, 'fetchesLeft'> = {
    copies,
    guard: settings.guard,
    isKnownHost: (hostname) => findHost(hostname) !== undefined,
  }
  const { fetches = 0, reportFetches = 0, reportRecords = 0 } = counted ?? {}
  const left = { all: fetchesOfDay - fetches, report: reportFetchesOfDay - reportFetches }
  let recordsLeft = reportRecordsOfDay - reportRecords
  const [settled, fetched]: [CaptureRecord[], Attempt[]] = [[], []]
  const inScans = new Set(scanned.map(({ url, hash }) => `${url} ${hash}`))
  const others = versions.filter(({ url, hash }) => !inScans.has(`${url} ${hash}`))
  for (const [index, { url, hash, requestUrl }] of [...scanned, ...others].entries()) {
    const source = index < scanned.length ? 'scan' : 'report'
    if (source === 'report' && recordsLeft-- <= 0) break
    const attempt = { siteId, url, hash, source, fetchedUrl: requestUrl || url } as const
    const fetchesLeft = source === 'scan' ? left.all : Math.min(left.all, left.report)
    const verdict = await decideCapture(hash, new URL(attempt.fetchedUrl), { ...facts, fetchesLeft })
    if (verdict) settled.push({ ...attempt, ...verdict })
    else {
      fetched.push(attempt)
      left.all--
      if (source === 'report') left.report--
    }
  }
  if (settled.length > 0) await recordCaptures(loop, tenantId, settled)
  return fetched
}

/** Stored as pending before the fetch, so that a fetch of a killed worker is never repeated. */
async function fetchOnce(loop: CaptureLoop, tenantId: string, attempt: Attempt): Promise<void> {
  const { settings, copies, cut: signal } = loop
  const dated = { ...attempt, attemptedAt: new Date().toISOString() }
  await recordCaptures(loop, tenantId, [{ ...dated, state: 'pending' }])
  let outcome: Awaited<ReturnType<typeof fetchCapture>> = { state: 'interrupted' }
  try {
    outcome = await fetchCapture(attempt.hash, new URL(attempt.fetchedUrl), { settings, copies, signal })
  } finally {
    await recordCaptures(loop, tenantId, [{ ...dated, ...outcome }])
  }
}
