import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { isTransient } from '../../../app/program/with-retry.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { startApi } from '../../support/api.ts'
import { importFile, type SmallImport } from '../../support/import-file.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { complete, newImport, posts, reportsIn, stored } from '../../support/posts-file.ts'

/** 50 kills take a minute and a half: `ENGINE_KILLS=50 npm run test:faults -- tests/faults/import/killed-engine.test.ts`. */
const wantedKills = Number(process.env.ENGINE_KILLS ?? 4)

describe('a killed engine', () => {
  test('an engine killed under load responds correctly or with 503, and has every report once', async () => {
    const engine = await startMigratedEngine()
    const { reader: readUrl, writer: writeUrl } = engine.userUrls
    const own = connectPatiently(writeUrl)
    const api = await startApi({ readUrl, writeUrl })
    let kills = 0
    try {
      const tenantId = await api.createTenant()
      const steady = { ...newImport(writeUrl, 'steady.ndjson', posts(0, 500)), tenantId }
      await importFile(steady)
      const key = await api.createKey(tenantId)
      const path = '/v1/reports/count?from=2026-09-20T00:00:00Z&to=2026-09-24T00:00:00Z'
      const right = await api.get(path, { key })
      // CSP violations alone; bare bodies, every fifth, have the time of the import.
      const counted = Array.from({ length: 500 }, (_, index) => (index % 5 && index % 3 ? 1 + (index % 3) : 0))
      expect(right.body.data.reportCount).toBe(counted.reduce((sum, count) => sum + count, 0))

      const statuses = new Map<number, number>()
      const load = async () => {
        while (kills < wantedKills) {
          const { status, body } = await api.get(path, { key })
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status === 200) expect(body).toEqual(right.body)
          else expect(body.error.code).toBe('upstream_unavailable')
          await sleep(20)
        }
      }
      const nextRight = async () => {
        const before = statuses.get(200) ?? 0
        await expect.poll(() => statuses.get(200) ?? 0).toBeGreaterThan(before)
      }
      const killing = async () => {
        while (kills < wantedKills) {
          // Every other kill can hit an engine that starts.
          if (kills % 2 === 0) await nextRight()
          await sleep(150 + (kills % 10) * 100)
          const pid = engine.pid()
          if (pid === undefined) continue
          process.kill(pid, 'SIGKILL')
          kills++
        }
      }
      const imports: SmallImport[] = []
      const importing = async () => {
        while (kills < wantedKills) {
          const given = newImport(writeUrl, `round ${imports.length}.ndjson`, posts(0, 1_000))
          imports.push(given)
          // An import gives up after 83 s of retries, and goes on when it is run again.
          let result: Awaited<ReturnType<typeof importFile>> | undefined
          while (!result) {
            const startedAt = performance.now()
            result = await importFile(given).catch((error) => {
              if (!isTransient(error)) throw error
              expect(performance.now() - startedAt).toBeGreaterThan(40_000)
              return undefined
            })
          }
          expect(result).toMatchObject({ stored: reportsIn(0, 1_000), rejected: 0 })
        }
      }
      await Promise.all([load(), load(), killing(), importing()])
      expect([...statuses.keys()].sort()).toEqual([200, 503])
      // The last kill can come after the last import.
      await expect.poll(() => own.ping()).toBe(true)
      for (const given of imports) expect(await stored(own, given)).toEqual(complete(reportsIn(0, 1_000)))
      expect(await stored(own, steady)).toEqual(complete(reportsIn(0, 500)))
      expect(await checkRollups(own)).toMatchObject({ different: 0 })
    } finally {
      await api.close()
      await own.close()
      await engine.end()
    }
  })
})
