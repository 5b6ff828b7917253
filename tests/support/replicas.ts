/**
 * @module Shards of replicas with a coordinator: servers of the embedded library, which `replicas/node.c` lets replicate,
 * with the cluster's own settings, and ZooKeeper for Keeper. Each has an address of loopback, and each server the
 * cluster's host names. It needs Linux on x64 and root.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect as connectTo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { replicated } from '../../clickhouse/cluster/replicated.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import { queryRows } from './database.ts'
import { ensureInstalled } from './ensure-installed.ts'
import { freezeProcess } from './freeze-process.ts'
import { patience } from './patience.ts'
import { root } from './programs.ts'

const passwords = { READER_PASSWORD: 'rrrr', ANALYST_PASSWORD: 'pppp', WRITER_PASSWORD: 'wwww' }
const secrets = { ...passwords, INTERSERVER_PASSWORD: 'iiii', CLUSTER_SECRET: 'cccc' }

/** Mounts and host names of their own are root's, and `replicas/node.c` is of x64. */
export const canReplicate = process.platform === 'linux' && process.arch === 'x64' && process.getuid?.() === 0

/** Named by shard and replica: `12` is the second of the first shard. */
export type Replica = '11' | '12' | '21' | '22'
const replicas: readonly Replica[] = ['11', '12', '21', '22']
const keepers = [1, 2, 3]

export type TestReplicas = Awaited<ReturnType<typeof startReplicas>>

/** Two shards of two replicas, migrated, and three ZooKeepers; call `end()` in `afterAll`. */
export async function startReplicas() {
  ensureInstalled('/usr/share/zookeeper/bin/zkServer.sh')
  const folder = mkdtempSync(join(tmpdir(), 'replicas-'))
  const network = `127.${randomInt(2, 255)}`
  const node = join(folder, 'node')
  execFileSync(ensureInstalled('gcc'), ['-O1', '-o', node, join(root, 'tests/support/replicas/node.c'), '-ldl'])
  const hosts = join(folder, 'hosts')
  const lines = [
    '127.0.0.1 localhost',
    ...keepers.map((number) => `${network}.0.${number} keeper-${number}`),
    ...replicas.map((replica) => `${network}.1.${replica} ${hostOf(replica)}`),
  ]
  writeFileSync(hosts, `${lines.join('\n')}\n`)
  const running = new Map<string, ChildProcess>()
  const endAll = () => {
    for (const child of running.values()) child.kill('SIGKILL')
  }
  process.once('exit', endAll)

  function run(name: string, command: string, args: readonly string[], environment: Record<string, string> = {}) {
    const log = openSync(join(folder, `${name}.log`), 'a')
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment }
    const cwd = join(folder, name)
    running.set(name, spawn(command, args, { cwd, env, stdio: ['ignore', log, log] }))
  }

  async function kill(name: string): Promise<void> {
    const child = running.get(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  function startKeeper(number: number): void {
    const name = `keeper-${number}`
    const data = join(folder, name, 'data')
    mkdirSync(data, { recursive: true })
    writeFileSync(join(data, 'myid'), `${number}\n`)
    const servers = keepers.map((id) => `server.${id}=${network}.0.${id}:9234:9235`)
    const own = [`dataDir=${data}`, 'clientPort=9181', `clientPortAddress=${network}.0.${number}`]
    // Sessions of 1 to 10 s, and a new leader within 3 s, as Keepers have one.
    const times = ['tickTime=500', 'initLimit=20', 'syncLimit=5']
    const rest = ['admin.enableServer=false', 'maxClientCnxns=500', 'forceSync=no']
    writeFileSync(join(folder, name, 'zoo.cfg'), [...own, ...times, ...rest, ...servers].join('\n'))
    const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain'
    run(name, ensureInstalled('java'), ['-Xmx160m', '-cp', '/usr/share/java/zookeeper.jar', main, 'zoo.cfg'])
  }

  function launch(replica: Replica): void {
    const own = join(folder, replica)
    const [shard, number] = [...replica] as [string, string]
    for (const name of ['config.d', 'users.d']) mkdirSync(join(own, name), { recursive: true })
    const server = join(root, 'clickhouse/server')
    cpSync(join(server, 'config.d/cluster.xml'), join(own, 'config.d/cluster.xml'))
    cpSync(join(server, 'users.xml'), join(own, 'users.xml'))
    cpSync(join(root, 'tests/support/replicas/users.xml'), join(own, 'users.d/tests.xml'))
    const [address, interserver] = [`${network}.1.${replica}`, `${network}.2.${replica}`]
    writeFileSync(join(own, 'config.xml'), configOf(own, address, interserver))
    const wait = join(own, 'wait')
    execFileSync('sh', ['-c', '[ -p "$1" ] || mkfifo "$1"', 'sh', wait])
    const listen = `SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; SELECT * FROM file('${wait}', 'LineAsString', 'l String')`
    const script = 'mount --bind "$1" /etc/hosts && hostname "$2" && shift 2 && exec "$@"'
    const args = [`--config-file=${join(own, 'config.xml')}`, `--path=${join(own, 'data')}`, `--query=${listen}`]
    const ports = ['--tcp_port=9000', '--http_port=8123']
    run(
      replica,
      'unshare',
      ['--mount', '--uts', 'sh', '-c', script, 'sh', hosts, hostOf(replica), node, ...args, ...ports],
      {
        ...secrets,
        SHARD: `0${shard}`,
        REPLICA: number,
        INTERSERVER: `${interserver}:8123`,
        LIBCHDB: join(root, 'node_modules/@chdb/lib-linux-x64-gnu/libchdb.so'),
      },
    )
  }

  const urlOf = (user: string, password: string, order: readonly Replica[]) =>
    `http://${user}:${password}@${order.map((replica) => `${network}.1.${replica}:8123`).join(',')}/reports`

  async function untilUp(replica: Replica): Promise<void> {
    while (!(await fetch(`http://${network}.1.${replica}:8123/ping`).catch(() => undefined))?.ok) {
      if (running.get(replica)?.exitCode != null)
        throw new Error(`Server ${replica} ended: see ${folder}/${replica}.log`)
      await sleep(100)
    }
  }

  async function start(replica: Replica): Promise<void> {
    launch(replica)
    await untilUp(replica)
  }

  const pidOf = (name: string) => running.get(name)?.pid as number

  async function end(): Promise<void> {
    await Promise.all([...running.keys()].map(kill))
    process.off('exit', endAll)
    await rm(folder, { recursive: true, force: true })
  }

  for (const number of keepers) startKeeper(number)
  for (const number of keepers) await untilServing(`${network}.0.${number}`)
  await Promise.all(replicas.map(start))
  const cluster: Cluster = await openCluster(urlOf('writer', 'wwww', replicas), patience)
  await migrate(cluster.client, { cluster: { cluster, replication: replicated } })
  return {
    /** @param order of its hosts. */
    writeUrl: (order = replicas) => urlOf('writer', 'wwww', order),
    readUrl: urlOf('reader', 'rrrr', replicas),
    /** As the writer, patiently. */
    cluster,
    kill,
    start,
    /** Of a replica that was killed. */
    loseDisk: (replica: Replica) => rm(join(folder, replica, 'data'), { recursive: true }),
    freeze: (name: Replica | `keeper-${number}`) => freezeProcess(pidOf(name)),
    thaw: (name: Replica | `keeper-${number}`) => process.kill(pidOf(name), 'SIGCONT'),
    /** Rows of one replica's own tables, as a user with every right. */
    async ask(replica: Replica, statement: string): Promise<unknown[][]> {
      const url = urlOf('admin', 'aaaa', [replica]).replace(/reports$/, 'reports_shard')
      const database = connect(url, { ...patience, isCluster: false })
      try {
        if (/^SELECT/.test(statement)) return await queryRows(database, statement)
        await database.command(statement)
        return []
      } finally {
        await database.close()
      }
    },
    async end() {
      await cluster.close()
      await end()
    },
  }
}

/** ZooKeeper has a leader then. */
async function untilServing(address: string): Promise<void> {
  const modeOf = async () => {
    const socket = connectTo(9181, address, () => socket.write('srvr'))
    return text(socket).catch(() => '')
  }
  while (!/^Mode: (leader|follower)$/m.test(await modeOf())) await sleep(100)
}

const hostOf = (replica: Replica) => `clickhouse-0${replica[0]}-${replica[1]}`

const configOf = (folder: string, address: string, interserver: string) => `<clickhouse>
    <path>${folder}/data/</path>
    <listen_host>${address}</listen_host>
    <listen_host>${interserver}</listen_host>
    <tcp_port>9000</tcp_port>
    <http_port>8123</http_port>
    <log-level>warning</log-level>
    <logger><log>${folder}/server.log</log><console>0</console></logger>
    <user_directories><users_xml><path>${folder}/users.xml</path></users_xml></user_directories>
    <background_schedule_pool_size>16</background_schedule_pool_size>
    <backups><allowed_path>backups</allowed_path></backups>
</clickhouse>`
