import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { replaceReplica } from '../../clickhouse/cluster/replace-replica.ts'
import {
  type FakeClickHouse,
  type FakeRead,
  type FakeResponse,
  startFakeClickHouse,
  urlOfNodes,
} from '../support/fake-clickhouse.ts'
import { freePort } from '../support/free-port.ts'
import { patience } from '../support/patience.ts'
import { playStatements } from '../support/played-statements.ts'

/** What Keeper and the servers have, of two shards of two replicas. */
interface World {
  /** Reads of the lost replica's registration that find it active; refused statements that remove it afterwards. */
  activeReads: number
  activeDrops: number
  /** Databases whose Keeper node of the lost replica is there. */
  readonly registered: Set<string>
  hasDisk: boolean
  /** Databases on a disk. */
  made: readonly string[]
  /** Reads that find parts to fetch. */
  fetches: number
}

let world: World
let nodes: readonly { readonly shard: string; readonly replica: string; readonly port: number }[]
let running: Map<string, FakeClickHouse>
/** Statements that removed a replica. */
let drops: string[]

const tables = 40

function respondAs(shard: string, replica: string) {
  const isTarget = `${shard}${replica}` === '012'
  return ({ query, values }: FakeRead): FakeResponse => {
    if (query === 'findMacros') return [{ shard, replica, cluster: 'reports' }]
    if (query === 'measureCluster') return [{ replicas: 2, shards: 2 }]
    if (query === 'listDatabasesNamed') {
      return isTarget && !world.hasDisk ? [] : world.made.map((name) => ({ name }))
    }
    if (query === 'findRegistration') {
      return world.registered.has(values[0] ?? '') ? [{ isActive: world.activeReads-- > 0 }] : []
    }
    if (query === 'countKnownNodes') return [{ knownNodes: 4 }]
    if (query === 'countLateInserts') return [{ lateInserts: 0, oldestInsertSeconds: 0 }]
    if (query === 'countLateQuorums') return [{ lateQuorums: 0, latePart: '' }]
    if (query === 'summariseReplicas') {
      const fetches = isTarget && world.fetches-- > 0 ? 7 : 0
      return [{ tables, readonlyTables: 0, delaySeconds: 0, fetches, inactiveReplicas: 0 }]
    }
    if (query === 'countRowsOfParts') return [{ rows: 1_000 }]
    return undefined
  }
}

playStatements(({ origin, text }) => {
  const isRunning = [...running.values()].some((fake) => fake.origin === origin)
  if (!isRunning) return undefined
  if (!text.startsWith('SYSTEM')) return 'done'
  if (world.activeDrops-- > 0) return { code: 305, message: "Can't drop replica: 2, because it's active" }
  const [, database = ''] = /SYSTEM DROP DATABASE REPLICA .* FROM DATABASE (\w+)/.exec(text) ?? []
  world.registered.delete(database)
  drops.push(text)
  return 'done'
})

async function start(...names: readonly string[]): Promise<void> {
  for (const { shard, replica, port } of nodes) {
    const name = shard + replica
    if (names.includes(name)) running.set(name, await startFakeClickHouse(respondAs(shard, replica), port))
  }
}

async function stop(name: string): Promise<void> {
  await running.get(name)?.close()
  running.delete(name)
}

beforeEach(async () => {
  world = {
    activeReads: 0,
    activeDrops: 0,
    registered: new Set(['reports_shard', 'reports']),
    hasDisk: true,
    fetches: 0,
    made: ['reports_shard', 'reports'],
  }
  running = new Map()
  drops = []
  const places = ['01', '02'].flatMap((shard) => ['1', '2'].map((replica) => ({ shard, replica })))
  nodes = await Promise.all(places.map(async (place) => ({ ...place, port: await freePort() })))
  await start('011', '021', '022')
})
afterEach(async () => {
  for (const name of [...running.keys()]) await stop(name)
})

const url = () => urlOfNodes(nodes.map(({ port }) => ({ origin: `http://127.0.0.1:${port}` })))

async function replace(onStep: (step: string) => unknown = () => {}, serverTimeoutMs = 300_000) {
  const steps: string[] = []
  let migrated = 0
  const options = {
    open: () => openCluster(url(), patience),
    async migrate() {
      migrated++
      world.hasDisk = true
    },
    onStep(step: string) {
      steps.push(step)
      void onStep(step)
    },
    pollMs: 1,
    stepMs: Number.POSITIVE_INFINITY,
    serverTimeoutMs,
  }
  const [ended] = await Promise.allSettled([replaceReplica({ shard: 1, replica: '2' }, options)])
  const failure = ended?.status === 'rejected' ? (ended.reason as Error).message : undefined
  return { steps, migrated, failure, replaced: ended?.status === 'fulfilled' ? ended.value : undefined }
}

const allDrops = [
  "SYSTEM DROP REPLICA '2' FROM DATABASE reports_shard",
  "SYSTEM DROP DATABASE REPLICA '2' FROM SHARD '01' FROM DATABASE reports_shard",
  "SYSTEM DROP REPLICA '01_2' FROM DATABASE reports",
  "SYSTEM DROP DATABASE REPLICA '01_2' FROM SHARD 'all' FROM DATABASE reports",
]
const target = () => `http://127.0.0.1:${nodes[1]?.port}`

describe('a lost replica', () => {
  test('is removed once it is inactive, made anew when its server starts, and waited for', async () => {
    Object.assign(world, { activeReads: 3, activeDrops: 2, fetches: 3, hasDisk: false })
    const { steps, migrated, failure, replaced } = await replace(async (step) => {
      if (step.includes('start it with an empty volume')) await start('012')
    })
    expect(failure).toBeUndefined()
    expect(steps).toEqual([
      'Waiting: replica 2 of shard 1 is active in reports_shard: stop its server; its Keeper session ends 10 s later',
      'Removing replica 2 of shard 1 from reports_shard',
      'Waiting: replica 2 of shard 1 is active in reports_shard: stop its server; its Keeper session ends 10 s later',
      'Removing replica 2 of shard 1 from reports',
      'Waiting: the server of replica 2 of shard 1 does not respond: start it with an empty volume',
      'Migrating',
      `Waiting: ${target()} fetches 7 parts`,
    ])
    expect(drops).toEqual(allDrops)
    expect({ migrated, replaced }).toEqual({
      migrated: 1,
      replaced: { shard: 1, replica: '2', node: target(), tables, reports: 1_000 },
    })
  })

  test('whose new server runs already is removed and made anew without a wait', async () => {
    world.hasDisk = false
    await start('012')
    const { steps, replaced } = await replace()
    expect(steps.filter((step) => step.startsWith('Waiting'))).toEqual([])
    expect(drops).toEqual(allDrops)
    expect(replaced).toBeDefined()
  })

  test('that an earlier run removed is not removed again', async () => {
    Object.assign(world, { hasDisk: false, registered: new Set() })
    await start('012')
    const { failure, migrated } = await replace()
    expect({ failure, migrated, drops }).toEqual({ failure: undefined, migrated: 1, drops: [] })
  })

  test('that an earlier run made anew is waited for and compared', async () => {
    world.fetches = 2
    await start('012')
    const { failure, replaced } = await replace()
    expect({ failure, drops }).toEqual({ failure: undefined, drops: [] })
    expect(replaced).toMatchObject({ reports: 1_000 })
  })

  test('that an earlier run made anew in part is made whole', async () => {
    Object.assign(world, { made: ['reports_shard'], registered: new Set(['reports_shard']) })
    await start('012')
    const { failure, migrated } = await replace()
    expect({ failure, migrated, drops }).toEqual({ failure: undefined, migrated: 1, drops: [] })
  })

  test('whose server keeps running is never removed', async () => {
    world.activeReads = Number.POSITIVE_INFINITY
    const { failure } = await replace(undefined, 20)
    expect(failure).toBe(
      'replica 2 of shard 1 is active in reports_shard: stop its server; its Keeper session ends 10 s later, after 0.02 s: run the command again',
    )
    expect(drops).toEqual([])
  })

  test('whose server comes back with its old disk is refused', async () => {
    const { failure, migrated } = await replace(async (step) => {
      if (step.includes('start it with an empty volume')) await start('012')
    })
    expect(failure).toBe(`${target()} still has its old disk: stop it, empty its volume, and run the command again`)
    expect(migrated).toBe(0)
  })
})

describe('nothing is removed', () => {
  test('while another server does not respond', async () => {
    await stop('022')
    const { failure } = await replace()
    expect(failure).toMatch(/^Every other node must respond: http:/)
    expect(drops).toEqual([])
  })

  test('where no other replica of the shard responds', async () => {
    await start('012')
    await stop('011')
    const { failure } = await replace()
    expect(failure).toMatch(/^Every other node must respond: /)
  })
})
