/** @module Statements of every engine of a run, from its query log. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface StatementUsage {
  readonly count: number
  readonly cpuMs: number
}

/** By the query's name, else by the first words of the statement. */
const statement = (after: string) => `
  SELECT
      if(JSONExtractString(log_comment, 'query') != '', JSONExtractString(log_comment, 'query'),
          extract(normalizeQuery(query), '^\\\\s*((?:\\\\w+\\\\s+){1,2}\\\\w*)')) AS name,
      count() AS count,
      sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']) / 1000 AS cpu_ms,
      toString(max(max(event_time_microseconds)) OVER ()) AS newest
  FROM system.query_log
  WHERE type != 'QueryStart' AND event_time_microseconds > toDateTime64('${after}', 6)
      AND query NOT LIKE '%system.query_log%'
  GROUP BY name
  FORMAT JSON
  SETTINGS output_format_json_quote_64bit_integers = 0`

interface Row {
  readonly name: string
  readonly count: number
  readonly cpu_ms: number
  readonly newest: string
}

interface RunningEngine {
  readonly id: string
  readonly url: string
  readonly password: string
}

function runningEngines(isOfRun: (pid: string) => boolean): RunningEngine[] {
  return readdirSync('/proc')
    .filter(isOfRun)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        const path = /server-process\.mjs .*--path=(\S+)\/clickhouse /.exec(command)?.[1]
        const port = /--http_port=(\d+)/.exec(command)?.[1]
        if (!path || !port) return []
        const password = readFileSync(join(path, 'writer.password'), 'utf8').trim()
        return [{ id: `${pid}:${port}`, url: `http://127.0.0.1:${port}/`, password }]
      } catch {
        return []
      }
    })
}

export class Statements {
  readonly #isOfRun: (pid: string) => boolean
  readonly #newest = new Map<string, string>()
  readonly usage = new Map<string, StatementUsage>()

  constructor(isOfRun: (pid: string) => boolean) {
    this.#isOfRun = isOfRun
  }

  /** Reads what each engine logged since the last call. Statements of an engine that has ended meanwhile are lost. */
  async collect(): Promise<void> {
    await Promise.all(runningEngines(this.#isOfRun).map((engine) => this.#collectFrom(engine).catch(() => undefined)))
  }

  async #collectFrom({ id, url, password }: RunningEngine): Promise<void> {
    const after = this.#newest.get(id) ?? '2000-01-01 00:00:00'
    const headers = { Authorization: `Basic ${btoa(`writer:${password}`)}`, Connection: 'close' }
    const signal = AbortSignal.timeout(5_000)
    const response = await fetch(url, { method: 'POST', body: statement(after), headers, signal })
    if (!response.ok) throw new Error(await response.text())
    const { data } = (await response.json()) as { data: Row[] }
    for (const { name, count, cpu_ms: cpuMs, newest } of data) {
      const before = this.usage.get(name) ?? { count: 0, cpuMs: 0 }
      this.usage.set(name, { count: before.count + count, cpuMs: before.cpuMs + cpuMs })
      this.#newest.set(id, newest)
    }
  }
}
