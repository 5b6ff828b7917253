import { createServer } from 'node:http'
import { connect } from 'node:net'
import { startWebServer } from './web-server.ts'

/** A proxy of CONNECT whose tunnels lead to a port of this machine. @param portOf of a target such as `example.com:443`. */
export async function startConnectProxy(portOf: (target: string) => number) {
  const tunnels: string[] = []
  const server = createServer()
  server.on('connect', ({ url = '' }, socket) => {
    tunnels.push(url)
    const target = connect(portOf(url), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    for (const one of [target, socket]) one.on('error', () => {})
  })
  return Object.assign(await startWebServer(() => {}, server), { tunnels })
}
