/**
 * @module Bound of values that outlive their reports (Rule 82): issues above it become the issue `(other)` of their
 * type, and sightings of scripts above it have no script. Processes that store reports of a site at the same time can
 * each reach the bound.
 */

import { hash } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { readKnownHosts } from '../../../queries/csp-policies/known-sources.ts'
import { countNewValues, listPlans, listStoredValues, type ValueKind } from '../../../queries/reports/new-values.ts'
import type { Read } from '../../../queries/sql/query.ts'
import { chunksOf } from '../../../queries/sql/rows.ts'
import { dayMs, minuteMs } from '../../../schema/durations.ts'
import { otherIssues } from '../../../schema/issue-id.ts'
import { newValuesPerDay } from '../../../schema/plans.ts'
import { storedTypeNames, storedTypeRows } from '../../../schema/report-types.ts'
import { confidence } from '../../../schema/rules/confidence.ts'
import { isKnownDirective } from '../../../schema/rules/csp/governing-directive.ts'
import { storedFieldRows } from '../../../schema/stored-report.ts'
import { blockColumns } from './insert-block.ts'

const fieldsRow = z.object({
  tenantId: z.guid(),
  siteId: z.guid(),
  reportType: z.enum(storedTypeNames),
  receivedAt: z.number(),
  issueSubject: z.string(),
  issueHost: z.string(),
  browserName: z.string(),
  scriptUrl: z.string(),
  scriptHash: z.string(),
  requestUrl: z.string(),
})

type Fields = z.infer<typeof fieldsRow>

const fieldNames = Object.keys(fieldsRow.shape) as (keyof Fields)[]

interface Value {
  readonly name: string
  /** First report of it. */
  readonly report: Fields
  /** Reports and browser families in the block. */
  reports: number
  readonly families: Set<string>
}

const otherIssue = { issueSubject: otherIssues, issueHost: otherIssues }

/** About 20 MB of names. */
const maxKnown = 100_000
/** Values per statement: up to 100 bytes each in its URL, with their tenants and sites. */
const valuesAtOnce = 1_000
/** Bytes of rows, about 3 ms of parsing, between yields. */
const sliceBytes = 512 * 1024
/** Blocked resources without a host. */
const keywords = ['inline', 'eval', 'wasm-eval', 'data', 'blob', 'trusted-types-policy', 'trusted-types-sink']

/** Undefined for a report that adds no such value. */
function nameOf(report: Fields): string | undefined {
  const { siteId, reportType, issueSubject, issueHost, scriptUrl, scriptHash } = report
  if (reportType === 'csp-hash') return scriptUrl === '' ? undefined : [siteId, scriptUrl, scriptHash].join('\n')
  if (!storedTypeRows[reportType].issue || issueSubject === otherIssues) return undefined
  return [siteId, reportType, issueSubject, issueHost].join('\n')
}

const keyOf = (name: string) => String(hash('md5', name, 'buffer').readBigUInt64BE())

const dayOf = ({ receivedAt }: Fields) => Math.floor(receivedAt / dayMs)

/** High confidence (Rule 45) within the block. */
const hasConfidence = ({ reports, families }: Value) =>
  confidence({ reportCount: reports, noiseCount: 0, browserFamilyCount: families.size }) === 'high'

const isOfKind = ({ reportType }: Fields, kind: ValueKind) => (reportType === 'csp-hash') === (kind === 'script')

const linesOf = (chunk: Buffer) => chunk.toString('utf8').split('\n').slice(0, -1)

/** Reads and writes values of a row with these columns. */
function rowFields(columns: readonly string[]) {
  const indexes = fieldNames.map((field) => columns.indexOf(storedFieldRows[field].column))
  return {
    /** Undefined for a row that the insert refuses, because a value does not fit its column. */
    read: (row: readonly unknown[]): Fields | undefined =>
      fieldsRow.safeParse(Object.fromEntries(fieldNames.map((field, at) => [field, row[indexes[at] ?? -1]]))).data,
    write(row: unknown[], values: Partial<Fields>): void {
      for (const [at, field] of fieldNames.entries()) if (field in values) row[indexes[at] ?? -1] = values[field]
    },
  }
}

export type NewValues = ReturnType<typeof createNewValues>

export function createNewValues() {
  /** Names of stored values. */
  const known = new LRUCache<string, true>({ max: maxKnown })
  const confirmed = new LRUCache<string, ReadonlySet<string>>({ max: 1_000, ttl: minuteMs })

  /** True for an issue of a keyword, or of a host that a policy, a scan or a decision of the site has. */
  async function isConfirmed(read: Read, { tenantId, siteId, issueSubject, issueHost }: Fields): Promise<boolean> {
    if (!isKnownDirective(issueSubject)) return false
    let hosts = confirmed.get(siteId)
    if (!hosts) {
      hosts = new Set([...keywords, ...(await readKnownHosts(read, tenantId, siteId))])
      confirmed.set(siteId, hosts)
    }
    return hosts.has(issueHost)
  }

  /** Adds the names of values above the bound; the first of a day are below it. */
  async function findOver(read: Read, kind: ValueKind, values: readonly Value[], over: Set<string>): Promise<void> {
    const since = new Date(Math.min(...values.map(({ report }) => dayOf(report))) * dayMs)
    const accepted = new Map<string, number>()
    for (const some of chunksOf(values, valuesAtOnce)) {
      const tenantIds = [...new Set(some.map(({ report }) => report.tenantId))]
      const siteIds = [...new Set(some.map(({ report }) => report.siteId))]
      const owners = { tenantIds, siteIds }
      const names = some.map(({ name }) => name)
      const [stored, counted, plans] = await Promise.all([
        read(listStoredValues(kind, owners, names)),
        read(countNewValues(kind, owners, since)),
        read(listPlans(tenantIds)),
      ])
      const keys = new Set(stored.map(({ key }) => key))
      const counts = new Map(counted.map(({ siteId, day, count }) => [`${siteId} ${day}`, count]))
      const planOf = new Map(plans.map(({ tenantId, plan }) => [tenantId, plan]))
      for (const value of some.filter(({ name }) => !keys.has(keyOf(name)))) {
        const { name, report } = value
        const slot = `${report.siteId} ${dayOf(report)}`
        const ofBlock = accepted.get(slot) ?? 0
        const most = newValuesPerDay[planOf.get(report.tenantId) ?? 'free'][kind] * (hasConfidence(value) ? 2 : 1)
        if ((counts.get(slot) ?? 0) + ofBlock < most) accepted.set(slot, ofBlock + 1)
        else if (kind === 'script' || !(await isConfirmed(read, report))) over.add(name)
      }
    }
  }

  return {
    /** Whether the report adds no value, as far as this process knows. */
    isKnown(report: Fields): boolean {
      const name = nameOf(report)
      return name === undefined || known.get(name) === true
    },

    /**
     * Rows in place of those chunks that have a value above the bound. Reads nothing if every value is known.
     * @param chunks lines of JSONCompactEachRow, in the order of their insert.
     */
    async bound(
      read: Read,
      chunks: readonly Buffer[],
      columns: readonly string[] = blockColumns,
    ): Promise<ReadonlyMap<Buffer, Buffer>> {
      const fields = rowFields(columns)
      const values = new Map<string, Value>()
      let bytes = 0
      for (const chunk of chunks) {
        for (const line of linesOf(chunk)) {
          const report = fields.read(JSON.parse(line))
          const name = report && nameOf(report)
          if (report === undefined || name === undefined || known.get(name)) continue
          const value = values.get(name) ?? { name, report, reports: 0, families: new Set() }
          value.reports++
          value.families.add(report.browserName)
          values.set(name, value)
        }
        bytes += chunk.length
        if (bytes < sliceBytes) continue
        bytes = 0
        await yieldToEventLoop()
      }
      const over = new Set<string>()
      for (const kind of ['issue', 'script'] as const) {
        const ofKind = [...values.values()].filter(({ report }) => isOfKind(report, kind))
        if (ofKind.length > 0) await findOver(read, kind, ofKind, over)
      }
      for (const name of values.keys()) if (!over.has(name)) known.set(name, true)
      return new Map(over.size === 0 ? [] : chunks.map((chunk) => [chunk, withoutValues(chunk, fields, over)]))
    },
  }
}

function withoutValues(chunk: Buffer, fields: ReturnType<typeof rowFields>, over: ReadonlySet<string>): Buffer {
  const lines = linesOf(chunk).map((line) => {
    const row = JSON.parse(line)
    const report = fields.read(row)
    if (!report || !over.has(nameOf(report) ?? '')) return line
    const requestUrl = report.requestUrl || report.scriptUrl
    fields.write(row, isOfKind(report, 'script') ? { scriptUrl: '', requestUrl } : otherIssue)
    return JSON.stringify(row)
  })
  return Buffer.from(lines.map((line) => `${line}\n`).join(''))
}
