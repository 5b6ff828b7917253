/**
 * @module A data folder's owner listens on a socket in it while it lives, even while its engine restarts. Unlike a
 * process id in a file, a socket never identifies another process after a crash.
 */

import { hash } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A socket's path has up to 103 bytes (sockaddr_un of macOS). */
function socketPath(dataDir: string): string {
  const path = join(resolve(dataDir), 'owner.sock')
  if (Buffer.byteLength(path) <= 103) return path
  return join(tmpdir(), `${hash('sha256', path, 'hex').slice(0, 32)}.sock`)
}

/** True while a process that started the folder's engine lives. */
export async function isOwned(dataDir: string): Promise<boolean> {
  const socket = connect(socketPath(dataDir))
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isConnected
}

/** Makes this process the owner, and returns the release. Rejects if there is another owner. */
export async function ownFolder(
  dataDir: string,
  owner = 'the process that started its engine is running',
): Promise<() => Promise<void>> {
  if (await isOwned(dataDir)) throw new Error(`Cannot lock ${dataDir}: ${owner}`)
  const path = socketPath(dataDir)
  await rm(path, { force: true })
  const server = createServer((socket) => socket.destroy()).listen(path)
  await once(server, 'listening')
  server.unref()
  return () => new Promise((closed) => server.close(() => closed()))
}
