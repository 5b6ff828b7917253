import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Row = Readonly<Record<string, unknown>>

/** What two replicas of one shard respond; without more they have everything. */
export interface FakeReplicas {
  /** Tables in which a replica is behind, at each of its reads. */
  behind: string[][][]
  /** Of each replica: none where its disk is empty. */
  tables: number[]
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
  ...{ behind: [], tables: [40, 40], lacking: [0, 0], searches: [] },
  sizes: [listed, listed],
  codeOfInsert: () => undefined,
  codeOfRead: () => undefined,
})

/** Two servers that respond as ClickHouse does. */
export async function startFakeReplicas() {
  let state = healthy()
  const rowsOf = (name: string, replica: number): Row[] => {
    if (name === 'findMacros') return [{ shard: '01', replica: String(replica), cluster: 'reports' }]
    if (name === 'measureCluster') return [{ ...state.sizes[replica] }]
    if (name === 'findBehind') return [{ tables: state.tables[replica], behind: state.behind[replica]?.shift() ?? [] }]
    return [{ rows: 1 }]
  }
  const insertsOf = () => state.searches.filter((search) => search.get('query')?.startsWith('INSERT INTO reports '))

  const servers = [0, 1].map((replica) =>
    createServer((request, response) => {
      const search = new URL(request.url ?? '', 'http://clickhouse').searchParams
      state.searches.push(search)
      const comment = search.get('log_comment')
      const name = comment === null ? undefined : JSON.parse(comment).query
      const isInsert = search.get('query')?.startsWith('INSERT INTO reports ')
      const codeOfInsert = isInsert ? state.codeOfInsert(insertsOf().length) : undefined
      const lacksSize = name === 'measureCluster' && state.sizes[replica] === undefined
      const codeOfQuery = name === 'countStoredRows' ? state.codeOfRead(search) : codeOfInsert
      const code = lacksSize ? '210' : codeOfQuery
      const lacking = state.lacking[replica]
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        if (lacking === undefined) return void request.socket.destroy()
        if (code !== undefined) {
          response.writeHead(500, { 'X-ClickHouse-Exception-Code': code })
          return void response.end(`Code: ${code}. DB::Exception: it failed. (SOME_NAME) (version 26.7.2.1)\n`)
        }
        if (name === undefined) return void response.end(body.includes('currentDatabase()') ? '0' : String(lacking))
        const found = rowsOf(name, replica)
        const meta = Object.keys(found[0] ?? {}).map((column) => ({ name: column }))
        response.end(JSON.stringify({ meta, data: found.map((row) => Object.values(row)), rows: found.length }))
      })
    }),
  )
  const hosts = servers.map(async (server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  return {
    urls: `http://${(await Promise.all(hosts)).join(',')}/reports`,
    state: () => state,
    insertsOf,
    reset() {
      state = healthy()
    },
    end() {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}
