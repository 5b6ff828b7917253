/** @module Every program starts in the environment of a pod beside Services of common names. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'

/** As the kubelet makes them of a Service with a port of its name. */
function linksOf(service: string, host: string, port: number): Record<string, string> {
  const name = service.toUpperCase().replaceAll('-', '_')
  const address = `tcp://${host}:${port}`
  return {
    [`${name}_SERVICE_HOST`]: host,
    [`${name}_SERVICE_PORT`]: String(port),
    [`${name}_SERVICE_PORT_HTTP`]: String(port),
    [`${name}_PORT`]: address,
    [`${name}_PORT_${port}_TCP`]: address,
    [`${name}_PORT_${port}_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_${port}_TCP_PORT`]: String(port),
    [`${name}_PORT_${port}_TCP_ADDR`]: host,
  }
}

const services = { kubernetes: 443, clickhouse: 8123, redis: 6379, collector: 80, metrics: 9464, api: 80 }
const links: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.entries(services).map(([service, port], index) => linksOf(service, `10.96.0.${index + 1}`, port)),
)

const folder = mkdtempSync(join(tmpdir(), 'service-links-'))
const started: SpawnedScript[] = []

afterAll(() => {
  for (const { child } of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** An address of this machine whose default ports no other program holds. */
const ownHost = `127.${[process.pid >> 16, process.pid >> 8, process.pid].map((byte) => byte & 255).join('.')}`

function start(file: string, args: readonly string[], clickHouseUrl: string): SpawnedScript {
  // Of the servers that other tests have pages on, none is scanned.
  const own = {
    SCAN_EVERY_HOURS: '0',
    CLICKHOUSE_URL: clickHouseUrl,
    REDIS_URL: inject('servers').redisUrl,
    DATA_DIR: folder,
  }
  const script = spawnScript(file, args, { ...links, ...own, HOST: ownHost, PORT: '0' })
  started.push(script)
  return script
}

test.each([
  ['app/serve.ts', 'readUrl', /^Serving the Security Reporting API on (http:\S+)$/m],
  ['app/collect.ts', 'writeUrl', /^Collecting reports on (http:\/\/[\d.:]+)\//m],
  ['app/start.ts', 'writeUrl', /^Security Reporting API {2}(http:\S+)$/m],
] as const)('%s starts, with a warning for each link that has the name of a variable', async (file, url, line) => {
  const script = start(file, [], inject('servers')[url])
  const [, origin] = await script.printed(line)
  expect((await fetch(`${origin}/livez`)).status).toBe(200)
  const ignored = script.output().match(/^\w+ is ignored: tcp:.*enableServiceLinks: false/gm) ?? []
  expect(ignored.map((warning) => warning.split(' ')[0])).toEqual(['CLICKHOUSE_PORT', 'COLLECTOR_PORT', 'METRICS_PORT'])
  script.child.kill('SIGTERM')
  expect(await script.ended()).toBe(0)
})

test.each([['migrate'], ['tenants', 'list']])('the command %s ends as it does elsewhere', async (...args) => {
  const script = start('app/cli.ts', args, inject('servers').writeUrl)
  expect({ code: await script.ended(), output: script.output() }).toMatchObject({ code: 0 })
})
