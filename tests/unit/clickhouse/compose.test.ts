import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../../app/config.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { nodeUrls } from '../../../queries/clickhouse/nodes.ts'

interface Service {
  readonly image?: string
  readonly restart?: string
  readonly profiles?: readonly string[]
  readonly hostname?: string
  readonly build?: string
  readonly ports?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly configs?: readonly { readonly source: string }[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
}

interface Compose {
  readonly name: string
  readonly services: Readonly<Record<string, Service>>
  readonly configs?: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const root = new URL('../../../', import.meta.url)
const folder = new URL('clickhouse/', root)
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')
const open = (file: string) => ({ file, text: read(file), compose: parse(read(file), { merge: true }) as Compose })
const [one, cluster] = [open('compose.yaml'), open('compose.cluster.yaml')]

const named = ({ compose }: typeof one, pattern: RegExp) =>
  Object.entries(compose.services).filter(([name]) => pattern.test(name))
const servers = named(cluster, /^clickhouse-/)
const keepers = named(cluster, /^keeper-/)
/** Variables that a server's settings take from its environment. */
const fromEnvironment = (file: string) => [...read(file).matchAll(/from_env="(\w+)"/g)].map(([, name]) => String(name))
const elements = (file: string, name: string) =>
  [...read(file).matchAll(new RegExp(`<${name}>([^<]+)</${name}>`, 'g'))].map(([, text]) => text)
const withoutPasswords = (text = '') => text.replaceAll(/\$\{\w+\}/g, 'password').replaceAll(/\$\{\w+:-\}/g, '')

/** SECRETS_KEY and SMTP_URL are needed by those who add destinations of alerts. */
const optional = [
  'CLICKHOUSE_QUORUM',
  'COLLECTOR_URL',
  'OUTBOUND_ALLOWED',
  'SECRETS_KEY',
  'SMTP_URL',
  'MAIL_FROM',
  'PUBLIC_URL',
  'DIGEST_HOUR',
]

describe.each([one, cluster])('$file', ({ text, compose }) => {
  test('has no default for a secret, and a message where one is missing', () => {
    const used = [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)].map(([, name, rest]) => ({ name, rest: rest ?? '' }))
    const required = used.filter(({ rest }) => /^:\?set it to \w+/.test(rest)).map(({ name }) => name)
    expect(required).toEqual(expect.arrayContaining(['READER_PASSWORD', 'ANALYST_PASSWORD', 'WRITER_PASSWORD']))
    for (const { name, rest } of used) {
      if (name !== undefined && optional.includes(name)) continue
      expect(required).toContain(name)
      expect(rest).toMatch(/^$|^:\?/)
    }
  })

  test('starts every service again but migrate, which ends', () => {
    for (const [name, { restart }] of Object.entries(compose.services)) {
      expect({ name, restart }).toEqual({ name, restart: name === 'migrate' ? undefined : 'unless-stopped' })
    }
  })

  test('names services, volumes, settings and files that exist', () => {
    for (const { depends_on = {}, volumes = [], configs = [] } of Object.values(compose.services)) {
      for (const name of Object.keys(depends_on)) expect(Object.keys(compose.services)).toContain(name)
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        if (source.startsWith('.')) expect(existsSync(new URL(source, folder)), source).toBe(true)
        else expect(Object.keys(compose.volumes)).toContain(source)
      }
      for (const { source } of configs)
        expect(existsSync(new URL(compose.configs?.[source]?.file ?? '?', folder))).toBe(true)
    }
  })

  test('has one image, of this version, for its programs, and its ports on this machine alone', () => {
    const { migrate, api, collector, worker } = compose.services
    for (const service of [migrate, api, collector, worker]) {
      expect(service).toMatchObject({ image: `security-reporting:${packageJson.version}`, build: '..' })
    }
    const ports = Object.values(compose.services).flatMap(({ ports = [] }) => ports)
    expect(ports).toEqual(expect.arrayContaining(['127.0.0.1:8787:8787', '127.0.0.1:8788:8788']))
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:((\d+):\2|812[34]:8123)$/)
  })

  test('passes COLLECTOR_URL to the commands, or an empty one, which is unset', () => {
    expect(compose.services.migrate?.environment?.COLLECTOR_URL).toMatch(/^\$\{COLLECTOR_URL:-\}$/)
  })

  test('sets variables of the programs to values that they take', () => {
    for (const name of ['migrate', 'api', 'collector', 'worker']) {
      const { environment = {} } = compose.services[name] as Service
      const set = Object.entries(environment).map(([key, value]) => [key, withoutPasswords(value)])
      expect(() => readConfig(Object.fromEntries(set)), name).not.toThrow()
    }
  })
})

test('Grafana starts with its profile alone, with what its data source takes from the environment', () => {
  const { profiles, environment = {} } = one.compose.services.grafana as Service
  expect(profiles).toEqual(['grafana'])
  const variables = [...read('grafana/datasources/clickhouse.yaml').matchAll(/\$([A-Z_]{3,})/g)].map(([, name]) => name)
  // The first is of a comment.
  for (const name of variables.slice(1)) expect(Object.keys(environment)).toContain(name)
  expect(environment.ANALYST_PASSWORD).toMatch(/^\$\{ANALYST_PASSWORD\}$/)
})

test('both have the same releases and the reserve of disk.xml, and names of their own', () => {
  for (const { text } of [one, cluster]) expect(text).toContain('./server/config.d/disk.xml')
  expect(cluster.compose.name).not.toBe(one.compose.name)
  const { clickhouse, redis } = one.compose.services
  for (const [, { image }] of servers) expect(image).toBe(clickhouse?.image)
  for (const [, { image }] of keepers) expect(image).toBe(clickhouse?.image?.replace('server', 'keeper'))
  expect(cluster.compose.services.redis?.image).toBe(redis?.image)
})

test('servers of both run on one machine while tenants are copied: each has a port of its own, which its first lines name', () => {
  const published = [one, cluster].map((file) =>
    named(file, /^clickhouse/)
      .flatMap(([, { ports = [] }]) => ports)
      .map((port) => port.replace(/:\d+$/, '')),
  )
  expect(published).toEqual([['127.0.0.1:8123'], ['127.0.0.1:8124']])
  expect(one.text).toContain('http://127.0.0.1:8123 ')
  expect(cluster.text).toContain("'http://127.0.0.1:8124/?database=reports'")
})

describe('a cluster', () => {
  test('has two replicas of each of two shards, each with a place and a volume of its own', () => {
    const places = servers.map(([name, { hostname, environment = {} }]) => {
      expect(name).toBe(`clickhouse-${environment.SHARD}-${environment.REPLICA}`)
      expect(hostname).toBe(name)
      return `${Number(environment.SHARD)} ${Number(environment.REPLICA)}`
    })
    expect(places).toEqual(['1 1', '1 2', '2 1', '2 2'])
    const volumes = [...servers, ...keepers].flatMap(([, service]) => service.volumes ?? [])
    expect(new Set(volumes).size).toBe(servers.length + keepers.length)
  })

  test('gives every server and Keeper what their settings take from the environment', () => {
    const ofServers = ['server/users.xml', 'server/config.d/cluster.xml'].flatMap(fromEnvironment)
    expect(ofServers).toEqual(expect.arrayContaining(['WRITER_PASSWORD', 'SHARD', 'CLUSTER_SECRET']))
    for (const [name, { environment = {}, configs = [] }] of servers) {
      expect(Object.keys(environment), name).toEqual(expect.arrayContaining(ofServers))
      expect(configs.map(({ source }) => source)).toEqual(['users', 'cluster', 'disk'])
    }
    for (const [name, { environment = {} }] of keepers) {
      expect(Object.keys(environment), name).toEqual(fromEnvironment('server/keeper.xml'))
    }
  })

  test('has the Keepers that its servers and the Keepers themselves name', () => {
    const names = keepers.map(([name]) => name)
    expect(elements('server/config.d/cluster.xml', 'host')).toEqual(names)
    expect(elements('server/keeper.xml', 'hostname')).toEqual(names)
    expect(elements('server/keeper.xml', 'id')).toEqual(keepers.map(([, service]) => service.environment?.KEEPER_ID))
  })

  test('is named whole by its programs, as the user of each, after it is ready', () => {
    const { migrate, api, collector, worker } = cluster.compose.services
    const urls = { writer: [migrate, collector, worker], reader: [api] }
    for (const [user, services] of Object.entries(urls)) {
      for (const service of services) {
        const { CLICKHOUSE_CLUSTER, CLICKHOUSE_QUORUM, CLICKHOUSE_URL } = service?.environment ?? {}
        expect([CLICKHOUSE_CLUSTER, CLICKHOUSE_QUORUM]).toEqual([
          '1',
          expect.stringMatching(/^\$\{CLICKHOUSE_QUORUM:-\}$/),
        ])
        const nodes = nodeUrls(withoutPasswords(CLICKHOUSE_URL)).map((node) => new URL(node))
        expect(nodes.map(({ hostname }) => hostname)).toEqual(servers.map(([name]) => name))
        expect(new Set(nodes.map(({ username, pathname }) => `${username}${pathname}`))).toEqual(
          new Set([`${user}/reports`]),
        )
      }
    }
    expect(Object.keys(migrate?.depends_on ?? {})).toEqual([...keepers, ...servers].map(([name]) => name))
  })
})

test('cluster/README.md names services of the cluster', () => {
  const words = [...read('cluster/README.md').matchAll(/\b(?:keeper|clickhouse)-\d[\d-]*\b/g)].map(([name]) => name)
  expect(words.length).toBeGreaterThan(0)
  const names = Object.keys(cluster.compose.services)
  // A third shard is added there.
  for (const name of words.filter((word) => !word.startsWith('clickhouse-03'))) expect(names).toContain(name)
})
