/** @module Programs in the image's own files, started as a manifest says, on a database without tables. */

import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { makeSiteToken } from '../../app/collector/site-address.ts'
import { readConfig } from '../../app/config.ts'
import { newUrl, reportRequest, storedOf } from './collector-posts.ts'
import { createDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { type ContainerOptions, makeImage } from './image.ts'
import { createTenantWriter } from './tenants.ts'

export interface RunningContainer {
  readonly child: ChildProcess
  output(): string
  readonly ended: Promise<number | null>
}

/** All that a manifest gives a program, but for its ports, which another program of this machine may hold. */
export interface ContainerStart extends ContainerOptions {
  readonly command: readonly string[]
}

export type Deployment = Awaited<ReturnType<typeof openDeployment>>

export async function openDeployment() {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  chmodSync(folder, 0o755)
  const started: ChildProcess[] = []
  const ports = new Map<number, number>()
  const database = await createDatabase()
  const image = makeImage(folder)
  const urlOf = (port: number, path: string) => `http://127.0.0.1:${ports.get(port)}${path}`

  return {
    image,
    database,
    urlOf,

    run({ command, ...options }: ContainerStart): RunningContainer {
      const child = image.start(command, options)
      started.push(child)
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text) => {
          output += text
        })
      }
      return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) }
    },

    statusOf: (port: number, path: string) =>
      fetch(urlOf(port, path)).then(
        ({ status }) => status,
        () => undefined,
      ),

    /** The environment with a free port for each port of it, the same for the same number. */
    async withFreePorts(environment: Readonly<Record<string, string>>): Promise<Record<string, string>> {
      const own: Record<string, string> = { ...environment }
      const config = readConfig(environment)
      for (const name of [
        'PORT',
        'COLLECTOR_PORT',
        'METRICS_PORT',
        'COLLECTOR_METRICS_PORT',
        'WORKER_METRICS_PORT',
      ] as const) {
        const port = config[name]
        if (port === undefined) continue
        if (!ports.has(port)) ports.set(port, await freePort())
        own[name] = String(ports.get(port))
      }
      return own
    },

    /** A volume as its owner makes it. */
    volume(name: string, uid: number, gid: number, mode: number): string {
      const path = join(folder, name)
      mkdirSync(path)
      chownSync(path, uid, gid)
      chmodSync(path, mode)
      return path
    },

    /** Ends it as its supervisor does: it serves on, no longer ready, and then ends by itself. */
    async expectStop({ child, ended, output }: RunningContainer, isReady: () => Promise<number | undefined>) {
      child.kill('SIGTERM')
      await expect.poll(isReady).toBe(503)
      expect({ code: await ended, output: output() }).toMatchObject({ code: 0 })
    },

    /** Ends the worker as its supervisor does: without a scan that runs it ends at once. */
    async expectEnd({ child, ended, output }: RunningContainer) {
      child.kill('SIGTERM')
      expect({ code: await ended, output: output() }).toMatchObject({ code: 0 })
    },

    /** Posts a report to the collector, of a site that is made now. */
    async expectStored(collectorPort: number) {
      const token = makeSiteToken()
      const writer = createTenantWriter(database.writer)
      await writer.createSite(await writer.createTenant(), { hosts: ['shop.example'], token })
      let url = newUrl()
      const post = async () => {
        url = newUrl()
        return (await fetch(urlOf(collectorPort, `/r/${token}`), reportRequest(url))).status
      }
      await expect.poll(post).toBe(204)
      await expect.poll(() => storedOf(database.reader, url)).toEqual([1])
    },

    async close() {
      for (const child of started) child.kill('SIGKILL')
      await database.drop()
      rmSync(folder, { recursive: true })
    },
  }
}
