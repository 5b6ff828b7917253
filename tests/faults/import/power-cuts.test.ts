import { appendFileSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { queryRows } from '../../support/database.ts'
import { killEngine, startTestEngine, type TestEngine } from '../../support/engine.ts'
import { importFile } from '../../support/import-file.ts'
import { checkImports, importWithSite } from '../../support/lost-imports.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { complete, posts, reportsIn, stored } from '../../support/posts-file.ts'
import { cutPower, takeSnapshot } from '../../support/power-cut.ts'

/** `IMPORT_CUTS=20` for more. */
const wantedCuts = Number(process.env.IMPORT_CUTS ?? 1)
const linesBetween = 150

test('power cuts of ClickHouse’s machine: the same import stores every report once, and doctor names what is gone', async () => {
  const random = seeded(Number(process.env.IMPORT_CUTS_SEED ?? 1))
  let engine: TestEngine = await startMigratedEngine()
  const { dataDir, port } = engine
  const database = connectPatiently(engine.userUrls.writer)
  const store = join(dataDir, 'clickhouse', 'store')
  try {
    const given = await importWithSite(database, engine.userUrls.writer, 'cuts.ndjson', '')
    const [[log]] = (await queryRows(
      database,
      "SELECT data_paths[1] FROM system.tables WHERE database = currentDatabase() AND name = 'import_log'",
    )) as [[string]]
    let lines = 0
    const grow = () => {
      appendFileSync(given.path, posts(lines, lines + linesBetween))
      lines += linesBetween
    }
    for (let cut = 0; cut < wantedCuts; cut++) {
      const boot = `boot ${cut}`
      const snapshots: string[] = []
      for (let moment = 0; moment < 3; moment++) {
        grow()
        await importFile({ ...given, boot })
        snapshots.push(join(dataDir, `moment-${moment}`))
        await takeSnapshot(store, join(dataDir, `moment-${moment}`))
      }
      grow()
      const failsAt = { step: 'write', after: random.below(2) } as const
      await expect(importFile({ ...given, boot, failsAt })).rejects.toThrow('no further')
      await killEngine(engine)
      // It is synced.
      const synced = join(dataDir, 'synced')
      await cp(log, synced, { recursive: true })
      await cutPower(store, snapshots as [string, ...string[]], random)
      await rm(log, { recursive: true })
      await cp(synced, log, { recursive: true })
      for (const folder of [synced, ...snapshots]) await rm(folder, { recursive: true })
      engine = await startTestEngine({ dataDir, port })

      const [[logged = 0] = []] = await queryRows(
        database,
        `SELECT sum(stored) FROM import_log WHERE tenant_id = '${given.tenantId}' AND state = 'done'`,
      )
      const left = Number((await stored(database, given)).rows)
      if (left < Number(logged))
        expect(await checkImports(database)).toContain('are missing, for example after a power cut')
      const reports = reportsIn(0, lines)
      expect(await importFile({ ...given, boot: `boot ${cut + 1}` })).toMatchObject({ stored: reports, rejected: 0 })
      expect(await stored(database, given)).toEqual(complete(reports))
      expect((await checkRollups(database)).differences).toEqual([])
      expect(await checkImports(database)).toContain('every report in the import log')
    }
  } finally {
    await database.close()
    await engine.end()
  }
})
