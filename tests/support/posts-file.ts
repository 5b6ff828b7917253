/** @module Files of POSTs to import, and what ClickHouse stored of them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Database } from '../../queries/clickhouse/database.ts'
import { queryRows } from './database.ts'
import type { SmallImport } from './import-file.ts'

export const siteId = '00000000-0000-4000-8000-0000000000aa'
const start = Date.UTC(2026, 8, 20)

/** POSTs of one to three reports of several types, over days; every fifth is a bare body, which brings no time. */
export function posts(from: number, to: number, host = 'shop.test'): string {
  const report = (index: number, part: number) => {
    const url = `https://${host}/page/${index % 7}?n=${index}`
    const policy = "default-src 'self'; ".repeat(10)
    const body = { documentURL: url, blockedURL: `https://h${index % 11}.test/${part}`, originalPolicy: policy }
    return index % 3 === 0
      ? { age: part, type: 'crash', url, body: { reason: 'oom' } }
      : { age: part, type: 'csp-violation', url, body }
  }
  const line = (index: number) => {
    const body = Array.from({ length: 1 + (index % 3) }, (_, part) => report(index, part))
    const receivedAt = new Date(start + index * 300_000).toISOString()
    return JSON.stringify(index % 5 === 0 ? body : { receivedAt, body })
  }
  return Array.from({ length: to - from }, (_, index) => `${line(from + index)}\n`).join('')
}

export const reportsIn = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => 1 + ((from + index) % 3)).reduce((sum, count) => sum + count, 0)

let tenants = 0

/** An import of a new tenant; its file is removed after the test. */
export function newImport(writeUrl: string, name: string, lines: string): SmallImport {
  const folder = mkdtempSync(join(tmpdir(), 'posts-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, name)
  writeFileSync(path, lines)
  const tenantId = `00000000-0000-4000-8000-1${String(process.pid).padStart(7, '0')}${String(tenants++).padStart(4, '0')}`
  return { writeUrl, path, tenantId, sites: [{ id: siteId, hosts: ['shop.test'] }] }
}

export async function stored(database: Database, { tenantId }: SmallImport) {
  const [row = []] = await queryRows(
    database,
    `SELECT count(), uniqExact(id) FROM reports WHERE tenant_id = '${tenantId}'`,
  )
  return { rows: row[0], ids: row[1] }
}

/** What `stored` gives where every report is stored once. */
export const complete = (reports: number) => ({ rows: reports, ids: reports })
