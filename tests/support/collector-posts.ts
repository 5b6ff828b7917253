/** @module Posts of one report each, and what ClickHouse stored. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect } from 'vitest'
import { createMemoryBudgets } from '../../app/budgets/memory-budgets.ts'
import { type CollectorServices, createCollector } from '../../app/collector/create-collector.ts'
import { openLog } from '../../app/collector/open-log.ts'
import { readConfig } from '../../app/config.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { listImportSteps } from '../../queries/tenants/imports.ts'
import { importVersion } from '../../schema/rules/import-version.ts'
import { queryRows } from './database.ts'
import { patientBlocks } from './patience.ts'

let urls = 0
/** A page that no other report has. */
export const newUrl = () => `https://shop.example/${urls++}`

export const reportRequest = (url: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/reports+json' },
  body: JSON.stringify([{ type: 'csp-violation', url, body: { documentURL: url, blockedURL: 'inline' } }]),
})

export interface PostResult {
  readonly status: number
  readonly code: string | undefined
  readonly retryAfter: string | null
}

/** @param respond posts one report. */
export async function send(respond: () => Response | Promise<Response>): Promise<PostResult> {
  const response = await respond()
  const text = await response.text()
  const code = text === '' ? undefined : JSON.parse(text).error.code
  const { status, headers } = response
  return { status, code, retryAfter: headers.get('Retry-After') }
}

export function expectRefused(result: PostResult, code: string): void {
  expect(result).toEqual({ status: 503, code, retryAfter: expect.stringMatching(/^[1-9]\d*$/) })
}

/** Data folders of collectors, removed together. */
export function temporaryFolders() {
  const folders: string[] = []
  return {
    async make(): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'collector-data-'))
      folders.push(folder)
      return folder
    },
    async remove(): Promise<void> {
      for (const folder of folders) await rm(folder, { recursive: true })
    },
  }
}

/** How often each URL is stored. */
export async function storedOf(database: Database, ...wanted: string[]): Promise<number[]> {
  const rows = await queryRows(database, 'SELECT document_url, count() FROM reports GROUP BY document_url')
  const stored = new Map(rows.map(([url, count]) => [url, count]))
  return wanted.map((url) => Number(stored.get(url) ?? 0))
}

/** Import version of a tenant's data; undefined while a step is not done. */
export const versionOf = async (database: Database, tenantId: string) =>
  importVersion(await database.read(listImportSteps(tenantId, 1_000)))

/** A collector without a listener, with replaceable parts. */
export async function openCollector(database: Database, folder: string, services: Partial<CollectorServices> = {}) {
  const log = pino({ level: 'silent' })
  const config = readConfig({ DATA_DIR: folder })
  const own = { ...database, ...services.database }
  const { segments, metrics, sites, sender, close } = await openLog(config, own, log, { blocks: patientBlocks })
  const app = createCollector({
    database,
    sites,
    store: sender,
    metrics,
    log,
    postsPerMinute: 100_000,
    budgets: createMemoryBudgets(),
    isLogWritable: segments.isWritable,
    ...services,
  })
  const post = (token: string, url: string) => send(() => app.request(`/r/${token}`, reportRequest(url)))
  return { app, post, close, drained: sender.drained }
}
