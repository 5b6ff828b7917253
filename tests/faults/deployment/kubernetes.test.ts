/** @module Every program of the manifests is started as they say, in the image's own files. */

import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import {
  type ContainerStart,
  type Deployment,
  openDeployment,
  type RunningContainer,
} from '../../support/deployment.ts'
import { canContain } from '../../support/image.ts'
import { containerOf, hasPods, manifests, podOf, type Resource, resourcesOf } from '../../support/kubernetes.ts'

describe.skipIf(!canContain)('as Kubernetes runs it', () => {
  let deployment: Deployment

  beforeAll(async () => {
    deployment = await openDeployment()
  })

  afterAll(() => deployment?.close())

  const resources = resourcesOf('base/').filter(hasPods)
  const ofKind = (kind: string) => resources.find((resource) => resource.kind === kind) as Resource
  const named = (name: string) => resources.find(({ metadata }) => metadata.name === name) as Resource
  const secrets = () => ({
    'reader-url': deployment.database.readUrl,
    'writer-url': deployment.database.writeUrl,
    'redis-url': inject('servers').redisUrl,
  })
  const settings = parse(readFileSync(new URL('example/kustomization.yaml', manifests), 'utf8')).configMapGenerator[0]
  const configMap = Object.fromEntries(settings.literals.map((literal: string) => literal.split('=')))

  /** @param volumes folders of the claims, by name. */
  async function startOf(resource: Resource, volumes: Readonly<Record<string, string>> = {}): Promise<ContainerStart> {
    const {
      command = deployment.image.command,
      env = [],
      envFrom,
      volumeMounts = [],
      securityContext,
    } = containerOf(resource)
    const own = env.map(({ name, value, valueFrom }) => {
      const key = valueFrom?.secretKeyRef?.key as keyof ReturnType<typeof secrets>
      return [name, value ?? secrets()[key]]
    })
    const given = own.filter(([, value]) => value !== undefined)
    const environment = { ...deployment.image.env, ...(envFrom && configMap), ...Object.fromEntries(given) }
    const mounted = volumeMounts.map(({ name, mountPath }) => [mountPath, volumes[name]] as const)
    return {
      command,
      env: await deployment.withFreePorts({ ...environment, KUBERNETES_SERVICE_HOST: '10.96.0.1' }),
      user: String(podOf(resource)?.securityContext?.runAsUser),
      readOnly: securityContext?.readOnlyRootFilesystem ?? false,
      volumes: Object.fromEntries(mounted.filter(([, source]) => source !== undefined)) as Record<string, string>,
      emptyDirs: mounted.filter(([, source]) => source === undefined).map(([path]) => path),
    }
  }

  /** Each probe as the kubelet sends it; then the metrics, as Prometheus does. */
  async function expectProbes(
    resource: Resource,
    running: RunningContainer,
  ): Promise<() => Promise<number | undefined>> {
    const { ports: declared = [], startupProbe, livenessProbe, readinessProbe, resources } = containerOf(resource)
    const portOf = (name: string | number) => declared.find((port) => port.name === name)?.containerPort as number
    const [startup, liveness, readiness] = [startupProbe, livenessProbe, readinessProbe].map((probe) => {
      const { port = '', path = '' } = probe?.httpGet ?? {}
      return () => deployment.statusOf(portOf(port), path)
    }) as [() => Promise<number | undefined>, () => Promise<number | undefined>, () => Promise<number | undefined>]
    const ended = running.ended.then(() => expect.fail(`It ended: ${running.output()}`))
    await Promise.race([expect.poll(startup).toBe(200), ended])
    ended.catch(() => undefined)
    expect(await liveness()).toBe(200)
    await expect.poll(readiness).toBe(200)
    expect(await (await fetch(deployment.urlOf(portOf('metrics'), '/metrics'))).text()).toContain('build_info')
    const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8')
    const megabytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
    expect(megabytes).toBeLessThan(Number(/^(\d+)Mi$/.exec(String(resources?.requests?.memory))?.[1]))
    return readiness
  }

  test('the tree of the image cannot be written, but for what is mounted', async () => {
    const touch = (path: string) => ['sh', '-c', `id -u; touch ${path}`]
    const start = await startOf(ofKind('Job'))
    for (const path of ['/srv/x', '/srv/data/x', '/srv/.build/x', '/var/x']) {
      const { ended, output } = deployment.run({ ...start, command: touch(path) })
      expect(await ended).not.toBe(0)
      expect(output()).toMatch(/^1000\n.*Read-only file system/)
    }
    expect(await deployment.run({ ...start, command: touch('/tmp/x') }).ended).toBe(0)
  })

  test('migrations, then the API, the collector and the worker', async () => {
    const job = deployment.run(await startOf(ofKind('Job')))
    expect({ code: await job.ended, output: job.output() }).toMatchObject({ code: 0 })
    const names = (await readMigrations()).map(({ name }) => name)
    expect(job.output()).toContain(JSON.stringify({ applied: names }))

    const data = deployment.volume('claim', 0, 1000, 0o2775)
    const ofApi = named('security-reporting-api')
    const ofWorker = named('security-reporting-worker')
    const api = deployment.run(await startOf(ofApi))
    const collector = deployment.run(await startOf(ofKind('StatefulSet'), { data }))
    const worker = deployment.run(await startOf(ofWorker))
    const apiIsReady = await expectProbes(ofApi, api)
    const collectorIsReady = await expectProbes(ofKind('StatefulSet'), collector)
    await expectProbes(ofWorker, worker)
    expect(await deployment.statusOf(8787, '/v1/me')).toBe(401)
    await deployment.expectStored(8788)
    expect(readdirSync(data)).toEqual(['collector'])
    await Promise.all([
      deployment.expectStop(api, apiIsReady),
      deployment.expectStop(collector, collectorIsReady),
      deployment.expectEnd(worker),
    ])
  })
})
