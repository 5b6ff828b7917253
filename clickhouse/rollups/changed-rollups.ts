/** @module Rollups that migrations fill from stored reports: those of the views that they create or change. */

import type { Migration } from '../migration-files.ts'
import { type Rollup, rawTable, sourcesFirst, viewSource, viewTarget } from './list-rollups.ts'

type ViewedTable = Pick<Rollup, 'table' | 'source' | 'views'>

/** A rollup, and the last of the migrations that change it. */
export interface ChangedRollup extends Pick<Rollup, 'table' | 'source'> {
  readonly version: number
}

/** Includes rollups of these rollups, sources first. @param rollups of the database after the migrations. */
export function changedRollups(migrations: readonly Migration[], rollups: readonly ViewedTable[]): ChangedRollup[] {
  const inOrder = sourcesFirst(rollups)
  const versions = new Map<string, number>()
  for (const { version, statements } of migrations) {
    for (const statement of statements) {
      const view = /^ALTER TABLE (\w+)\s+MODIFY QUERY\b/.exec(statement)?.[1]
      const target = viewTarget(statement) ?? rollups.find(({ views }) => view && views.includes(view))?.table
      if (target !== undefined) versions.set(target, version)
    }
  }
  for (const { table, source } of inOrder) {
    const version = Math.max(versions.get(table) ?? 0, versions.get(source) ?? 0)
    if (version > 0) versions.set(table, version)
  }
  return inOrder.flatMap(({ table, source }) => {
    const version = versions.get(table)
    return version === undefined ? [] : [{ table, source, version }]
  })
}

/** Rollups of reports that migrations create, with one view each, that the database does not have yet. */
export function newRollups(migrations: readonly Migration[], stored: readonly ViewedTable[]): ViewedTable[] {
  const made = migrations.flatMap(({ statements }) =>
    statements.flatMap((statement) => {
      const [table, source] = [viewTarget(statement), viewSource.exec(statement)?.[2]]
      return table === undefined || source === undefined ? [] : [{ table, source, views: [] }]
    }),
  )
  const ofReports = ({ source }: ViewedTable): boolean =>
    source === rawTable || [...stored, ...made].some((other) => other.table === source)
  return made.filter(
    (rollup, index) =>
      ofReports(rollup) &&
      made.findIndex(({ table }) => table === rollup.table) === index &&
      stored.every(({ table }) => table !== rollup.table),
  )
}
