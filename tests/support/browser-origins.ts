import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { proxy } from 'hono/proxy'
import type { TestCertificate } from './certificate.ts'

/** An app as browsers reach it, over http and https. The hosts differ, so that reports of one are none of the other. */
export interface BrowserOrigins {
  readonly http: string
  readonly https: string
  close(): void
}

/** @param collectorUrl where posts to `/r/` go: TLS ends in front of the collector. */
export async function serveBrowsers(
  app: Hono,
  certificate: TestCertificate,
  collectorUrl: string,
): Promise<BrowserOrigins> {
  app.all('/r/*', (c) => proxy(collectorUrl + c.req.path, c.req))
  const listener = getRequestListener(app.fetch)
  const servers = [createServer(listener), createSecureServer(certificate, listener)]
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const [http, https] = servers.map((server) => (server.address() as AddressInfo).port)
  return {
    http: `http://127.0.0.1:${http}`,
    https: `https://localhost:${https}`,
    close() {
      for (const server of servers) server.close()
    },
  }
}
