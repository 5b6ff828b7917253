/** @module Ranges of receipt times of a batch: the ranges that earlier runs began, and one with this run's settings. */

import { retentionStart } from '../../../schema/plans.ts'
import { type ImportSite, sitesByPattern } from '../normalise/host-patterns.ts'
import type { BlockPart } from './block-parts.ts'
import type { RangeState, RecordedRange } from './import-log.ts'

/** A tenant's settings, which can change during a live import. */
export interface ImportTenant {
  readonly sites: readonly ImportSite[]
  readonly retentionDays: number
}

export type ImportSettings = ReturnType<typeof importSettings>

/** Settings of a new batch. @param siteId site of every report in lines without one; by default chosen by host. */
export function importSettings({ sites, retentionDays }: ImportTenant, siteId: string | undefined, now: Date) {
  const hosts = siteId === undefined ? [...sitesByPattern(sites).keys()].sort() : []
  return { sites, retentionDays, now, hosts, retentionFrom: retentionStart(retentionDays, now).getTime() }
}

/** Every range of a batch, with a new one if retention now reaches further back. */
export function batchRanges(recorded: readonly RecordedRange[], settings: ImportSettings) {
  const { now, retentionFrom, retentionDays } = settings
  const isReached = recorded.some(({ storedFrom }) => storedFrom <= retentionFrom)
  const { hosts, importedAt } = recorded[0] ?? { hosts: settings.hosts, importedAt: now.getTime() }
  const state: RangeState = 'open'
  const begun = { hosts, importedAt, storedFrom: retentionFrom, retentionDays, state }
  return [...recorded, ...(isReached ? [] : [begun])].map((range) => ({
    ...range,
    expiredBefore: retentionStart(range.retentionDays, now).getTime(),
    blocks: 0,
    stored: 0,
    parts: [] as BlockPart[],
  }))
}
