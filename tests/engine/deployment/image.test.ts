/** @module Every program of the manifests and of compose.yaml is started as they say, in the image's own files. */

import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { readConfig } from '../../../app/config.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { newUrl, reportRequest, storedOf } from '../../support/collector-posts.ts'
import { createDatabase, type TestDatabase } from '../../support/database.ts'
import { freePort } from '../../support/free-port.ts'
import { type ContainerOptions, canContain, type Image, makeImage } from '../../support/image.ts'
import { containerOf, hasPods, manifests, podOf, type Resource, resourcesOf } from '../../support/kubernetes.ts'
import { createTenantWriter } from '../../support/tenants.ts'

interface Running {
  readonly child: ChildProcess
  output(): string
  readonly ended: Promise<number | null>
}

/** How a manifest starts a program: all that is given, but ports, which another program of this machine may hold. */
interface Start extends ContainerOptions {
  readonly command: readonly string[]
}

describe.skipIf(!canContain)('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  const started: ChildProcess[] = []
  const ports = new Map<number, number>()
  let image: Image
  let database: TestDatabase
  let token: string

  beforeAll(async () => {
    chmodSync(folder, 0o755)
    database = await createDatabase()
    image = makeImage(folder)
  })

  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL')
    await database?.drop()
    rmSync(folder, { recursive: true })
  })

  function run({ command, ...options }: Start): Running {
    const child = image.start(command, options)
    started.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) }
  }

  const urlOf = (port: number, path: string) => `http://127.0.0.1:${ports.get(port)}${path}`
  const statusOf = (port: number, path: string) =>
    fetch(urlOf(port, path)).then(
      ({ status }) => status,
      () => undefined,
    )

  /** The environment with a free port for each port of it, the same for the same number. */
  async function withFreePorts(environment: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const own: Record<string, string> = { ...environment }
    const config = readConfig(environment)
    for (const name of ['PORT', 'COLLECTOR_PORT', 'METRICS_PORT', 'COLLECTOR_METRICS_PORT'] as const) {
      const port = config[name]
      if (port === undefined) continue
      if (!ports.has(port)) ports.set(port, await freePort())
      own[name] = String(ports.get(port))
    }
    return own
  }

  /** A volume as its owner makes it. */
  function volume(name: string, uid: number, gid: number, mode: number): string {
    const path = join(folder, name)
    mkdirSync(path)
    chownSync(path, uid, gid)
    chmodSync(path, mode)
    return path
  }

  /** Ends it as its supervisor does: it serves on, no longer ready, and then ends by itself. */
  async function expectStop(
    { child, ended, output }: Running,
    isReady: () => Promise<number | undefined>,
  ): Promise<void> {
    child.kill('SIGTERM')
    await expect.poll(isReady).toBe(503)
    expect({ code: await ended, output: output() }).toMatchObject({ code: 0 })
  }

  async function expectStored(collectorPort: number): Promise<void> {
    const url = newUrl()
    const { status } = await fetch(urlOf(collectorPort, `/r/${token}`), reportRequest(url))
    expect(status).toBe(204)
    expect(await storedOf(database.reader, url)).toEqual([1])
  }

  describe('as Kubernetes runs it', () => {
    const resources = resourcesOf('base/').filter(hasPods)
    const ofKind = (kind: string) => resources.find((resource) => resource.kind === kind) as Resource
    const secrets = () => ({
      'reader-url': database.readUrl,
      'writer-url': database.writeUrl,
      'redis-url': inject('servers').redisUrl,
    })
    const settings = parse(readFileSync(new URL('example/kustomization.yaml', manifests), 'utf8')).configMapGenerator[0]
    const configMap = Object.fromEntries(settings.literals.map((literal: string) => literal.split('=')))

    /** @param volumes folders of the claims, by name. */
    async function startOf(resource: Resource, volumes: Readonly<Record<string, string>> = {}): Promise<Start> {
      const { command = image.command, env = [], envFrom, volumeMounts = [], securityContext } = containerOf(resource)
      const own = env.map(({ name, value, valueFrom }) => {
        const key = valueFrom?.secretKeyRef?.key as keyof ReturnType<typeof secrets>
        return [name, value ?? secrets()[key]]
      })
      const environment = { ...image.env, ...(envFrom && configMap), ...Object.fromEntries(own) }
      const mounted = volumeMounts.map(({ name, mountPath }) => [mountPath, volumes[name]] as const)
      return {
        command,
        env: await withFreePorts({ ...environment, KUBERNETES_SERVICE_HOST: '10.96.0.1' }),
        user: String(podOf(resource)?.securityContext?.runAsUser),
        readOnly: securityContext?.readOnlyRootFilesystem ?? false,
        volumes: Object.fromEntries(mounted.filter(([, source]) => source !== undefined)) as Record<string, string>,
        emptyDirs: mounted.filter(([, source]) => source === undefined).map(([path]) => path),
      }
    }

    /** Each probe as the kubelet sends it; then the metrics, as Prometheus does. */
    async function expectProbes(resource: Resource, running: Running): Promise<() => Promise<number | undefined>> {
      const { ports: declared = [], startupProbe, livenessProbe, readinessProbe, resources } = containerOf(resource)
      const portOf = (name: string | number) => declared.find((port) => port.name === name)?.containerPort as number
      const [startup, liveness, readiness] = [startupProbe, livenessProbe, readinessProbe].map((probe) => {
        const { port = '', path = '' } = probe?.httpGet ?? {}
        return () => statusOf(portOf(port), path)
      }) as [() => Promise<number | undefined>, () => Promise<number | undefined>, () => Promise<number | undefined>]
      const hasEnded = () => running.child.exitCode !== null
      await expect.poll(async () => (hasEnded() ? running.output() : startup())).toBe(200)
      expect([await liveness(), await readiness()]).toEqual([200, 200])
      expect(await (await fetch(urlOf(portOf('metrics'), '/metrics'))).text()).toContain('build_info')
      const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8')
      const megabytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
      expect(megabytes).toBeLessThan(Number(/^(\d+)Mi$/.exec(String(resources?.requests?.memory))?.[1]))
      return readiness
    }

    test('the tree of the image cannot be written, but for what is mounted', async () => {
      const touch = (path: string) => ['sh', '-c', `id -u; touch ${path}`]
      const start = await startOf(ofKind('Job'))
      for (const path of ['/srv/x', '/srv/data/x', '/srv/.build/x', '/var/x']) {
        const { ended, output } = run({ ...start, command: touch(path) })
        expect(await ended).not.toBe(0)
        expect(output()).toMatch(/^1000\n.*Read-only file system/)
      }
      expect(await run({ ...start, command: touch('/tmp/x') }).ended).toBe(0)
    })

    test('migrations, then the API and the collector', async () => {
      const job = run(await startOf(ofKind('Job')))
      expect({ code: await job.ended, output: job.output() }).toMatchObject({ code: 0 })
      const names = (await readMigrations()).map(({ name }) => name)
      expect(job.output()).toContain(JSON.stringify({ applied: names }))

      const writer = createTenantWriter(database.writer)
      token = makeSiteToken()
      await writer.createSite(await writer.createTenant(), { hosts: ['shop.example'], token })
      const data = volume('claim', 0, 1000, 0o2775)
      const api = run(await startOf(ofKind('Deployment')))
      const collector = run(await startOf(ofKind('StatefulSet'), { data }))
      const isReady = [
        await expectProbes(ofKind('Deployment'), api),
        await expectProbes(ofKind('StatefulSet'), collector),
      ]
      expect(await statusOf(8787, '/v1/me')).toBe(401)
      await expectStored(8788)
      expect(readdirSync(data)).toEqual(['collector'])
      const [ofApi, ofCollector] = isReady as [() => Promise<number>, () => Promise<number>]
      await Promise.all([expectStop(api, ofApi), expectStop(collector, ofCollector)])
    })
  })

  describe('as compose.yaml runs it', () => {
    interface Service {
      readonly command?: readonly string[]
      readonly environment: Readonly<Record<string, string>>
      readonly volumes?: readonly string[]
    }
    const compose = readFileSync(new URL('../../../clickhouse/compose.yaml', import.meta.url), 'utf8')
    const services = parse(compose, { merge: true }).services as Readonly<Record<string, Service>>

    async function startOf(name: string): Promise<Start> {
      const { command = image.command, environment, volumes = [] } = services[name] as Service
      const ofServer = (value: string) => {
        const user = /^http:\/\/(reader|writer):\$\{\w+\}@clickhouse:8123\/default$/.exec(value)?.[1]
        if (user !== undefined) return user === 'reader' ? database.readUrl : database.writeUrl
        return value === 'redis://redis:6379' ? inject('servers').redisUrl : value.replace(/^\$\{\w+:-\}$/, '')
      }
      const own = Object.entries(environment).map(([name, value]) => [name, ofServer(value)])
      const mounted = volumes
        .map((text) => text.split(':'))
        .map(([source = '', path = '']) => {
          return [path, volume(`volume-${source}`, 1000, 1000, 0o755)]
        })
      return {
        command,
        env: await withFreePorts({ ...image.env, ...Object.fromEntries(own) }),
        user: image.user,
        volumes: Object.fromEntries(mounted),
      }
    }

    const isHealthy = async (start: Start) => (await run({ ...start, command: image.healthcheck }).ended) === 0

    test('migrations, then the API and the collector, which are healthy', async () => {
      const migrations = run(await startOf('migrate'))
      expect(await migrations.ended).toBe(0)
      expect(migrations.output()).toContain('{"applied":')
      for (const [name, port] of [
        ['api', 8787],
        ['collector', 8788],
      ] as const) {
        const start = await startOf(name)
        const running = run(start)
        await expect.poll(() => isHealthy(start)).toBe(true)
        expect(await statusOf(port, '/readyz')).toBe(200)
        if (name === 'collector') await expectStored(port)
        await expectStop(running, () => statusOf(port, '/readyz'))
      }
    })
  })
})
