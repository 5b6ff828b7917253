import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureInstalled } from './ensure-installed.ts'
import { freePort } from './free-port.ts'
import { freezeProcess } from './freeze-process.ts'

/** A redis-server of the test's own, on loopback and without persistence. */
export interface TestRedis {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Stops the process in its tracks: connections stay open and nothing responds. */
  freeze(): void
  thaw(): void
  /** Ends the process without a goodbye. */
  kill(): Promise<void>
  /** Starts it again on the same port, after `kill`. */
  restart(): Promise<void>
  /** Ends the process, frozen or not, and removes its folder. */
  stop(): Promise<void>
}

/** Starts a redis-server on a free port; `settings` are further command line settings. */
export async function startRedis(...settings: string[]): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  let port = await freePort()
  let server = await launch(folder, port, settings).catch(async () => {
    // Another process took the port meanwhile.
    port = await freePort()
    return launch(folder, port, settings)
  })
  const end = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return server.pid ?? 0
    },
    freeze: () => freezeProcess(server.pid as number),
    thaw: () => void server.kill('SIGCONT'),
    kill: end,
    async restart() {
      server = await launch(folder, port, settings)
    },
    async stop() {
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function launch(folder: string, port: number, settings: readonly string[]): Promise<ChildProcess> {
  const basics = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
  const server = spawn(ensureInstalled('redis-server'), [...basics, ...settings], { stdio: 'ignore' })
  const endWithTests = () => server.kill('SIGKILL')
  process.once('exit', endWithTests)
  server.once('exit', () => process.off('exit', endWithTests))
  for (;;) {
    const isUp = await responds(port)
    if (server.exitCode !== null) throw new Error(`redis-server ended with code ${server.exitCode}`)
    if (isUp) return server
    await sleep(10)
  }
}

/** True for any response to PING, an error while loading too. */
function responds(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const settle = (responded: boolean) => {
      socket.destroy()
      resolve(responded)
    }
    socket.once('data', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('close', () => settle(false))
  })
}
