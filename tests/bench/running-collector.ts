import { buildPrograms } from '../support/programs.ts'
import { spawnScript } from '../support/spawn-script.ts'
import type { Cleanup } from './cleanup.ts'

export interface RunningCollector {
  readonly url: string
  readonly pid: number
}

interface CollectorOptions {
  readonly dataDir: string
  /** With the writer's credentials. */
  readonly engineUrl: string
  readonly cleanup: Cleanup
}

/** Starts `npm run collect` in a process of its own, on a free port, without a bound of a site's posts. */
export async function startRunningCollector(options: CollectorOptions): Promise<RunningCollector> {
  await buildPrograms(['app/collect.ts'])
  const collector = spawnScript('app/collect.ts', [], {
    DATA_DIR: options.dataDir,
    CLICKHOUSE_URL: options.engineUrl,
    COLLECTOR_PORT: '0',
    SITE_POSTS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  })
  options.cleanup.defer(async () => {
    collector.child.kill('SIGTERM')
    await collector.ended()
  })
  const [, url = ''] = await collector.printed(/Collecting reports on (http:\/\/[^/]+)/)
  return { url, pid: collector.child.pid as number }
}
