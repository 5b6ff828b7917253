/**
 * @module Closed-loop load: a connection sends its next request after the response, at the earliest after the interval.
 */

import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface PollOptions {
  readonly url: string
  /** Path of a request by its index, from 0 on. */
  readonly pathAt: (index: number) => string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
  readonly intervalMs: number
}

export interface PollResult {
  /** Of responses with status 200, in milliseconds. */
  readonly latencies: readonly number[]
  /** Responses with another status. */
  readonly failed: number
}

/** Throws when a connection breaks. */
export async function pollServer(options: PollOptions): Promise<PollResult> {
  const { connections, seconds, intervalMs, pathAt } = options
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const end = performance.now() + seconds * 1000
  const latencies: number[] = []
  let failed = 0
  let sent = 0

  async function connection(index: number): Promise<void> {
    await sleep((intervalMs * index) / connections)
    while (performance.now() < end) {
      const startedAt = performance.now()
      const status = await fetchStatus(agent, options, pathAt(sent++))
      const latencyMs = performance.now() - startedAt
      if (status === 200) latencies.push(latencyMs)
      else failed++
      if (latencyMs < intervalMs) await sleep(intervalMs - latencyMs)
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, index) => connection(index)))
  agent.destroy()
  return { latencies, failed }
}

function fetchStatus(agent: Agent, { url, headers }: PollOptions, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url + path, { agent, headers }, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', reject)
      response.resume()
    }).on('error', reject)
  })
}
