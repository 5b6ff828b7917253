/** @module Collectors as production has them on replicas, posts of one report each, and what each replica stored of them. */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { expect } from 'vitest'
import { listSegments, logFolder } from '../../app/collector/segment-folder.ts'
import { startCollector } from '../../app/collector/start-collector.ts'
import { readConfig } from '../../app/config.ts'
import { openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { temporaryFolders } from './collector-posts.ts'
import type { Replica, TestReplicas } from './replicas.ts'

export interface ReplicaCollector {
  /** Posts a report, and returns the status. */
  post(token: string): Promise<number>
  /** Once each report that it took is stored. */
  close(): Promise<void>
}

export function createReplicaPosts(replicas: TestReplicas) {
  const folders = temporaryFolders()
  const opened: string[] = []
  /** Status of each report by the page in it. */
  const statuses = new Map<string, number>()

  /** Of the pages of all posts, how often each is on each replica of a shard. */
  async function storedOn(shard: readonly Replica[]) {
    const found = shard.map(async (replica) => {
      const rows = await replicas.ask(replica, 'SELECT document_url, count() FROM reports GROUP BY document_url')
      return new Map(rows as [string, number][])
    })
    return Promise.all(found)
  }

  const countsOf = (stored: readonly ReadonlyMap<string, number>[], page: string) =>
    stored.map((replica) => replica.get(page) ?? 0)

  return {
    /** With the product's deadlines. @param order of the hosts in its URL. */
    async open(order?: readonly Replica[], folder?: string): Promise<ReplicaCollector> {
      const DATA_DIR = folder ?? (await folders.make())
      opened.push(DATA_DIR)
      const CLICKHOUSE_URL = replicas.writeUrl(order)
      const config = readConfig({ CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: '1', DATA_DIR, COLLECTOR_PORT: '0' })
      const cluster = await openCluster(CLICKHOUSE_URL)
      const collector = await startCollector(config, cluster.client, pino({ level: 'silent' }), { cluster })
      return {
        async post(token) {
          const url = `https://shop.example/${randomUUID()}`
          const body = JSON.stringify([{ type: 'crash', age: 1, url, body: { reason: 'oom' } }])
          const headers = { 'Content-Type': 'application/reports+json' }
          const { status } = await fetch(`${collector.url}/r/${token}`, { method: 'POST', headers, body })
          statuses.set(url, status)
          return status
        },
        async close() {
          await collector.drained()
          await collector.stop()
          await cluster.close()
        },
      }
    },
    /** Expects each 204 once on each replica of a shard, every other post at most once, and no segment that waits or is set aside. */
    async expectStored(...shards: readonly (readonly Replica[])[]) {
      const files = async () =>
        (await Promise.all(opened.map((folder) => listSegments(logFolder(folder)))))
          .flat()
          .filter(({ state }) => state !== 'sent')
      await expect.poll(files).toEqual([])
      const wrong = async () => {
        const stored = await Promise.all(shards.map(storedOn))
        return [...statuses].flatMap(([page, status]) => {
          const counts = stored.map((shard) => countsOf(shard, page))
          const whole = counts.filter((own) => own.every((count) => count === 1)).length
          const none = counts.filter((own) => own.every((count) => count === 0)).length
          const isRight = whole + none === shards.length && (status === 204 ? whole === 1 : whole <= 1)
          return isRight ? [] : [`${status} ${page} ${counts.join(' | ')}`]
        })
      }
      await expect.poll(wrong).toEqual([])
      const accepted = [...statuses.values()].filter((status) => status === 204).length
      expect(accepted).toBeGreaterThan(0)
      return { posts: statuses.size, accepted }
    },
    /** Posts at a rate to all tokens in turn until the task ends. */
    async during(collector: ReplicaCollector, tokens: readonly string[], perSecond: number, task: () => Promise<void>) {
      let isDone = false
      const ended = task().finally(() => {
        isDone = true
      })
      const posts: Promise<number>[] = []
      while (!isDone) {
        posts.push(collector.post(tokens[posts.length % tokens.length] as string))
        await sleep(1000 / perSecond)
      }
      await ended
      await Promise.all(posts)
    },
    removeFolders: () => folders.remove(),
  }
}
