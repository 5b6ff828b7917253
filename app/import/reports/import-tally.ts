/** @module Counts of an import; `reports` = stored + expired + skipped + reports rejected one by one. */

import { detachString } from '../normalise/detach-string.ts'

export interface ImportResult {
  /** Lines that are not blank. */
  readonly posts: number
  readonly reports: number
  /** Reports in ClickHouse when the import ends. */
  readonly stored: number
  /** Reports received before retention begins, and those removed. */
  readonly expired: number
  /** Reports within retention that were stored and then removed by a shorter retention; absent for none. */
  readonly removed?: number
  /** Reports of `stored` that an earlier run had started to store and ClickHouse lost; absent for none. */
  readonly restored?: number
  /** Reports that are never stored, by type; at most 50 names and `other`. */
  readonly skipped: Readonly<Record<string, number>>
  /** Members of bodies that no field is read from, by type and name; at most 50 names and `other`. */
  readonly unknownMembers: Readonly<Record<string, number>>
  /** Lines and single reports. */
  readonly rejected: number
}

export type ImportTally = ReturnType<typeof createTally>

/** Types and members are untrusted text. */
const maxNames = 50
const maxNameLength = 64

function countByName() {
  const counts = new Map<string, number>()
  return {
    add(text: string): void {
      const name = text.slice(0, maxNameLength).replace(/[^ -~]/g, '?')
      const key = counts.has(name) || counts.size < maxNames ? name : 'other'
      const before = counts.get(key)
      counts.set(before === undefined ? detachString(key) : key, (before ?? 0) + 1)
    },
    result: () => Object.fromEntries([...counts].sort()),
  }
}

export function createTally() {
  const skipped = countByName()
  const unknownMembers = countByName()
  return {
    posts: 0,
    reports: 0,
    stored: 0,
    expired: 0,
    removed: 0,
    restored: 0,
    rejected: 0,
    skip: skipped.add,
    unknownMember: unknownMembers.add,
    result(): ImportResult {
      const { posts, reports, stored, expired, removed, restored, rejected } = this
      const named = { skipped: skipped.result(), unknownMembers: unknownMembers.result() }
      const rare = { ...(removed > 0 && { removed }), ...(restored > 0 && { restored }) }
      return { posts, reports, stored, expired, ...rare, ...named, rejected }
    },
  }
}
