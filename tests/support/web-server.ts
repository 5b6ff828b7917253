import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WebServer {
  readonly server: Server
  readonly port: number
  /** `http://127.0.0.1:port`. */
  readonly origin: string
  close(): Promise<void>
}

/** A server of this machine for one test. */
export async function startWebServer(
  handle: RequestListener,
  server: Server = createServer(handle),
): Promise<WebServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    server,
    port,
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
