/** @module Every program of compose.yaml is started as it says, in the image's own files. */

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { type ContainerStart, type Deployment, openDeployment } from '../../support/deployment.ts'
import { canContain } from '../../support/image.ts'

describe.skipIf(!canContain)('as compose.yaml runs it', () => {
  let deployment: Deployment

  beforeAll(async () => {
    deployment = await openDeployment()
  })

  afterAll(() => deployment?.close())

  interface Service {
    readonly command?: readonly string[]
    readonly environment: Readonly<Record<string, string>>
    readonly volumes?: readonly string[]
  }
  const compose = readFileSync(new URL('../../../clickhouse/compose.yaml', import.meta.url), 'utf8')
  const services = parse(compose, { merge: true }).services as Readonly<Record<string, Service>>

  async function startOf(name: string): Promise<ContainerStart> {
    const { command = deployment.image.command, environment, volumes = [] } = services[name] as Service
    const ofServer = (value: string) => {
      const user = /^http:\/\/(reader|writer):\$\{\w+\}@clickhouse:8123\/default$/.exec(value)?.[1]
      if (user !== undefined) return user === 'reader' ? deployment.database.readUrl : deployment.database.writeUrl
      return value === 'redis://redis:6379' ? inject('servers').redisUrl : value.replace(/^\$\{\w+:-\}$/, '')
    }
    const own = Object.entries(environment).map(([name, value]) => [name, ofServer(value)])
    const mounted = volumes
      .map((text) => text.split(':'))
      .map(([source = '', path = '']) => {
        return [path, deployment.volume(`volume-${source}`, 1000, 1000, 0o755)]
      })
    return {
      command,
      env: await deployment.withFreePorts({ ...deployment.image.env, ...Object.fromEntries(own) }),
      user: deployment.image.user,
      volumes: Object.fromEntries(mounted),
    }
  }

  const isHealthy = async (start: ContainerStart) =>
    (await deployment.run({ ...start, command: deployment.image.healthcheck }).ended) === 0

  test('migrations, then the API, the collector and the worker, which are healthy', async () => {
    const migrations = deployment.run(await startOf('migrate'))
    expect(await migrations.ended).toBe(0)
    expect(migrations.output()).toContain('{"applied":')
    for (const [name, port] of [
      ['api', 8787],
      ['collector', 8788],
      ['worker', 9466],
    ] as const) {
      const start = await startOf(name)
      const running = deployment.run(start)
      await expect.poll(() => isHealthy(start)).toBe(true)
      await expect.poll(() => deployment.statusOf(port, '/readyz')).toBe(200)
      if (name === 'collector') await deployment.expectStored(port)
      if (name === 'worker') await deployment.expectEnd(running)
      else await deployment.expectStop(running, () => deployment.statusOf(port, '/readyz'))
    }
  })
})
