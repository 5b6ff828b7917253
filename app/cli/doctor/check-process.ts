import { z } from 'zod'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Query } from '../../../queries/sql/query.ts'
import { rowCount } from '../../../queries/sql/rows.ts'
import { sql } from '../../../queries/sql/sql.ts'
import { explainError } from '../../program/explain-error.ts'
import type { Check } from './check.ts'
import { isOlder } from './is-older.ts'
import { ofEachServer } from './of-each-server.ts'

const oldestNode = packageJson.engines.node.replace('>=', '')

export const node: Check = {
  name: 'node',
  fix: `install Node ${oldestNode} or newer`,
  async run() {
    const { node } = process.versions
    if (isOlder(node, oldestNode)) throw new Error(`Node is ${node}`)
    return `Node ${node}`
  },
}

export const settings: Check = {
  name: 'settings',
  fix: 'correct the variable in the environment',
  async run({ config }) {
    const { CLICKHOUSE_URL, DATA_DIR } = config()
    return CLICKHOUSE_URL ? 'a ClickHouse server by CLICKHOUSE_URL' : `the embedded engine of ${DATA_DIR}`
  },
}

/** Loaded when it is needed: the client of Redis is a fifth of a command's start. */
async function readRedisTime(url: string): Promise<number> {
  const loaded = await import('./read-redis-time.ts')
  return loaded.readRedisTime(url)
}

export const redis: Check = {
  name: 'redis',
  fix: 'start or repair Redis, or correct REDIS_URL; without it each API process has its own budgets',
  async run({ config }) {
    const { REDIS_URL } = config()
    if (!REDIS_URL) return 'none: REDIS_URL is not set, so each API process has its own budgets'
    const { host } = new URL(REDIS_URL)
    await readRedisTime(REDIS_URL).catch((error: unknown) => {
      throw new Error(`Redis at ${host} does not respond: ${explainError(error)}`)
    })
    const { requireRedisBudgets } = await import('../../budgets/redis-budgets.ts')
    await requireRedisBudgets(REDIS_URL).catch((error: Error) => {
      throw new Error(`Redis at ${host} responds but cannot store budgets: ${explainError(error.cause ?? error)}`)
    })
    return `Redis at ${host} responds and stores budgets`
  },
}

const findTime: Query<{ time: number }> = {
  name: 'findTime',
  statement: sql`SELECT toUnixTimestamp64Milli(now64(3)) AS time`,
  row: z.object({ time: rowCount }),
}

const maxSkewMs = 1_000

/** Milliseconds that a clock is ahead of this process's at least; the time of the response is in its favour. */
async function measureSkew(readTime: () => Promise<number>): Promise<number> {
  const before = Date.now()
  const time = await readTime()
  const after = Date.now()
  if (time < before) return time - before
  return time > after ? time - after : 0
}

export const clocks: Check = {
  name: 'clocks',
  fix: 'synchronise the clocks of all machines, for example with chrony or systemd-timesyncd',
  async run({ config, database }) {
    const { REDIS_URL } = config()
    const ofClickHouse = await ofEachServer(
      await database(),
      async (server) =>
        ['ClickHouse', await measureSkew(async () => (await server.read(findTime))[0]?.time ?? Number.NaN)] as const,
    )
    const skews = [
      ...ofClickHouse,
      ...(REDIS_URL ? [['Redis', await measureSkew(() => readRedisTime(REDIS_URL))] as const] : []),
    ]
    for (const [name, skewMs] of skews) {
      if (Math.abs(skewMs) < maxSkewMs) continue
      const direction = skewMs > 0 ? 'ahead of' : 'behind'
      throw new Error(`the clock of ${name} is ${Math.round(Math.abs(skewMs))} ms ${direction} this machine's`)
    }
    return `${[...new Set(skews.map(([name]) => name))].join(' and ')} and this machine agree within ${maxSkewMs} ms`
  },
}
