/** @module Sources of changes, and how often each is read: a pass runs every 15 s, for all tenants with rules. */

import type { EnabledRule } from '../../../../queries/alerts/rules.ts'
import type { Database } from '../../../../queries/clickhouse/database.ts'
import { findScanVersion } from '../../../../queries/scans/scans.ts'
import {
  type AlertEvent,
  burstEvent,
  failingEvent,
  floodEvent,
  newIssueEvent,
  policyEvent,
  silenceEvent,
  vulnerableEvent,
} from '../../../../schema/alert-events.ts'
import { hourMs, minuteMs } from '../../../../schema/durations.ts'
import { changeEvent, gradeEvent, scriptEvent } from '../../../../schema/pci.ts'
import type { Change, Watched } from './change.ts'
import { findBursts } from './find-bursts.ts'
import { findFloods } from './find-floods.ts'
import { findNewIssues } from './find-new-issues.ts'
import { findNewPolicies } from './find-new-policies.ts'
import { findPageChanges } from './find-page-changes.ts'
import { findScriptChanges } from './find-script-changes.ts'
import { findSilences } from './find-silences.ts'
import { findVulnerableScripts } from './find-vulnerable-scripts.ts'

type Find = (database: Pick<Database, 'read'>, tenantId: string, watched: Watched) => Promise<Change[]>

interface Source {
  readonly events: readonly AlertEvent[]
  readonly find: Find
  readonly everyMs: number
  /** Read at once if scans were stored: the histories of 1,000 pages take 0.3 s, their version 10 ms. */
  readonly isOfScans?: true
}

const sources: readonly Source[] = [
  { events: [changeEvent, gradeEvent, failingEvent], find: findPageChanges, everyMs: 10 * minuteMs, isOfScans: true },
  { events: [scriptEvent], find: findScriptChanges, everyMs: 10 * minuteMs, isOfScans: true },
  { events: [vulnerableEvent], find: findVulnerableScripts, everyMs: 10 * minuteMs, isOfScans: true },
  { events: [newIssueEvent], find: findNewIssues, everyMs: 0 },
  { events: [policyEvent], find: findNewPolicies, everyMs: hourMs },
  { events: [burstEvent], find: findBursts, everyMs: minuteMs },
  { events: [floodEvent], find: findFloods, everyMs: minuteMs },
  { events: [silenceEvent], find: findSilences, everyMs: 10 * minuteMs },
]

interface LastRead {
  readonly at: number
  /** Version of the scans. */
  readonly version: string
}

export type SourcesRead = ReadonlyMap<Find, LastRead>

interface Pass {
  readonly rules: readonly EnabledRule[]
  readonly last: SourcesRead
  readonly now: Date
}

/** Due sources of the tenant's rules, and the data read from them. */
export async function sourcesToRead(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { rules, last, now }: Pass,
): Promise<{ readonly due: readonly Source[]; readonly read: SourcesRead }> {
  const ruled = sources.filter(({ events }) => rules.some(({ eventType }) => events.includes(eventType)))
  const version = ruled.some(({ isOfScans }) => isOfScans) ? JSON.stringify(await read(findScanVersion(tenantId))) : ''
  const at = now.getTime()
  const due = ruled.filter(({ find, everyMs, isOfScans }) => {
    const before = last.get(find)
    return !before || Math.abs(at - before.at) >= everyMs || (isOfScans && before.version !== version)
  })
  return { due, read: new Map([...last, ...due.map(({ find }) => [find, { at, version }] as const)]) }
}
