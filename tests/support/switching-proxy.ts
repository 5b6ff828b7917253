import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** One address before two servers, as a virtual IP or a Kubernetes Service: a connection stays with its server. */
export interface SwitchingProxy {
  readonly port: number
  /** Accepted since the start. */
  connections(): number
  /** Connections from now on go to this port; those that are open stay. */
  switchTo(port: number): void
  close(): void
}

export async function startSwitchingProxy(firstPort: number): Promise<SwitchingProxy> {
  let port = firstPort
  let accepted = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    accepted++
    const upstream = connect(port, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => undefined))
      socket.once('close', () => sockets.delete(socket))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => accepted,
    switchTo(next) {
      port = next
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
