import { afterAll, afterEach, beforeAll } from 'vitest'
import {
  type FakeClickHouse,
  type FakeRead,
  type FakeResponse,
  startFakeClickHouse,
  urlOfNodes,
} from './fake-clickhouse.ts'
import { playStatements } from './played-statements.ts'

/** What two replicas of one shard respond; without more they have everything. */
export interface FakeReplicas {
  /** Tables in which a replica is behind, at each of its reads. */
  behind: string[][][]
  /** Of each replica: none where its disk is empty. */
  tables: number[]
  /** Views of each replica before an insert and after it; undefined without tables. */
  views: (insertsSent: number) => readonly (number | undefined)[]
  /** What each replica's list of the cluster has; undefined for one that fails to respond with it. */
  sizes: ({ readonly replicas: number; readonly shards: number } | undefined)[]
  /** Code of the response to a try of an insert of reports, from 1. */
  codeOfInsert: (attempt: number) => string | undefined
  /** Code of the response to a read of reports. */
  codeOfRead: (search: URLSearchParams) => string | undefined
  /** How many tables of the shard each replica lacks known parts of; undefined for one that is down. */
  lacking: (number | undefined)[]
  /** Of each request. */
  searches: URLSearchParams[]
}

/** Of a cluster without faults. */
const listed = { replicas: 2, shards: 1 }

const healthy = (): FakeReplicas => ({
  behind: [],
  tables: [40, 40],
  lacking: [0, 0],
  searches: [],
  views: () => [20, 20],
  sizes: [listed, listed],
  codeOfInsert: () => undefined,
  codeOfRead: () => undefined,
})

const message = 'it failed.'

/** Two servers that respond as ClickHouse does, from a file's first test to its last. */
export function fakeReplicas() {
  let state = healthy()
  let servers: readonly FakeClickHouse[] = []
  const insertsOf = () => state.searches.filter((search) => search.get('query')?.startsWith('INSERT INTO reports '))

  function respond({ query, text, search }: FakeRead, replica: number): FakeResponse {
    state.searches.push(search)
    const lacking = state.lacking[replica]
    if (lacking === undefined) return null
    if (text.includes('MaterializedView')) return String(state.views(insertsOf().length)[replica] ?? '')
    if (query === '') return text.includes('currentDatabase()') ? '0' : String(lacking)
    if (query === 'findMacros') return [{ shard: '01', replica: String(replica), cluster: 'reports' }]
    if (query === 'measureCluster') return state.sizes[replica] ? [state.sizes[replica]] : { code: 210, message }
    if (query === 'findBehind') {
      return [{ tables: state.tables[replica], behind: state.behind[replica]?.shift() ?? [] }]
    }
    const code = query === 'countStoredRows' ? state.codeOfRead(search) : undefined
    return code === undefined ? [{ rows: 1 }] : { code, message }
  }

  playStatements(({ text, search }) => {
    state.searches.push(search)
    const code = text.startsWith('INSERT INTO reports ') ? state.codeOfInsert(insertsOf().length) : undefined
    return code === undefined ? 'done' : { code, message }
  })
  beforeAll(async () => {
    servers = await Promise.all([0, 1].map((replica) => startFakeClickHouse((read) => respond(read, replica))))
  })
  afterEach(() => {
    state = healthy()
  })
  afterAll(() => Promise.all(servers.map((server) => server.close())))

  return { urls: () => urlOfNodes(servers), state: () => state, insertsOf }
}
