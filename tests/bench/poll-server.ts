import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a server is polled. */
export interface Polling {
  readonly url: string
  /** What is asked next, from 0 on. */
  readonly pathAt: (asked: number) => string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
  /** Milliseconds from one question of a connection to its next; at once where the answer took longer. */
  readonly everyMilliseconds: number
}

/** What polling gave. */
export interface Polled {
  /** Milliseconds of each answer with status 200. */
  readonly latencies: readonly number[]
  /** Answers with another status. */
  readonly refused: number
}

/** Asks on kept connections, spread over the interval, until the time is over. Throws where a connection breaks. */
export async function pollServer(polling: Polling): Promise<Polled> {
  const { connections, seconds, everyMilliseconds, pathAt } = polling
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const until = performance.now() + seconds * 1000
  const latencies: number[] = []
  let refused = 0
  let asked = 0

  async function connection(index: number): Promise<void> {
    await sleep((everyMilliseconds * index) / connections)
    while (performance.now() < until) {
      const started = performance.now()
      const status = await statusOf(agent, polling, pathAt(asked++))
      const milliseconds = performance.now() - started
      if (status === 200) latencies.push(milliseconds)
      else refused++
      if (milliseconds < everyMilliseconds) await sleep(everyMilliseconds - milliseconds)
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, index) => connection(index)))
  agent.destroy()
  return { latencies, refused }
}

function statusOf(agent: Agent, { url, headers }: Polling, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url + path, { agent, headers }, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', reject)
      response.resume()
    }).on('error', reject)
  })
}
