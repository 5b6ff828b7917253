import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { buildPrograms } from '../support/programs.ts'
import { spawnScript } from '../support/spawn-script.ts'

const logLine = z.object({
  msg: z.literal('request'),
  requestId: z.string(),
  durationMs: z.number(),
  rowsRead: z.number(),
  bytesRead: z.number(),
})

export type LoggedRequest = z.infer<typeof logLine>

export interface RunningApi {
  readonly url: string
  readonly pid: number
  /** Log line of a request. Throws without one within two seconds. */
  logged(requestId: string): Promise<LoggedRequest>
  stop(): Promise<void>
}

/** Starts `npm run serve` in a process of its own, on a free port. */
export async function startRunningApi(engineUrl: string): Promise<RunningApi> {
  await buildPrograms(['app/serve.ts'])
  const api = spawnScript('app/serve.ts', [], { PORT: '0', CLICKHOUSE_URL: engineUrl })
  const requests = new Map<string, LoggedRequest>()
  if (api.child.stdout) {
    createInterface({ input: api.child.stdout }).on('line', (line) => {
      const parsed = line.startsWith('{') ? logLine.safeParse(JSON.parse(line)) : undefined
      if (parsed?.success) requests.set(parsed.data.requestId, parsed.data)
    })
  }
  const [, url = ''] = await api.printed(/Serving .* on (http:\S+)/)
  return {
    url,
    pid: api.child.pid as number,
    async logged(requestId) {
      for (let waited = 0; waited < 2_000; waited += 5) {
        const request = requests.get(requestId)
        if (request) return request
        await sleep(5)
      }
      throw new Error(`The API logged no line for request ${requestId}`)
    },
    async stop() {
      api.child.kill('SIGTERM')
      await api.ended()
    },
  }
}
