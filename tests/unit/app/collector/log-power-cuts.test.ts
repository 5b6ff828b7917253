import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openCollectorLog } from '../../../../app/collector/collector-log.ts'
import { seeded } from '../../../../fixtures/seeded.ts'
import { tracedDisk } from '../../../support/traced-disk.ts'

const cuts = Number(process.env.LOG_CUTS ?? 50)

test('after a power cut each post that was 204 is in the log once, also where writes and syncs failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-cuts-'))
  let acknowledged = 0
  try {
    for (let cut = 0; cut < cuts; cut++) {
      const random = seeded(cut)
      const live = join(folder, `${cut}`)
      const fails = random.chance(0.5)
      const disk = tracedDisk(live, () => fails && random.chance(0.1))
      const log = await openCollectorLog({ folder: live, files: disk.files, limits: { reports: 10 } })
      const accepted: string[] = []
      let isOver = false
      let sent = 0
      async function post(): Promise<void> {
        while (!isOver) {
          const text = `${cut}-${sent++}`
          const lines = Buffer.from(`${JSON.stringify([text, 'x'.repeat(random.below(200))])}\n`)
          const record = { tenantId: 't', siteId: 's', tokenHash: 'h', receivedAt: 1, reports: 1, lines }
          await log.append(record).then(
            () => isOver || accepted.push(text),
            () => undefined,
          )
          if (random.chance(0.1)) await log.seal()
        }
      }
      const posters = Array.from({ length: 4 }, post)
      const moment = 1 + random.below(30)
      while (accepted.length < moment) await setImmediate()
      for (let turns = random.below(10); turns > 0; turns--) await setImmediate()
      const left = join(folder, `${cut}-cut`)
      disk.cut(left, random)
      const wanted = [...accepted]
      isOver = true
      await Promise.all(posters)
      await log.close()
      acknowledged += wanted.length

      const after = await openCollectorLog({ folder: left })
      const contents = await Promise.all(after.segments().map((segment) => after.load(segment)))
      const found = contents.flatMap(({ records }) => records.map(({ lines }) => JSON.parse(lines.toString())[0]))
      expect(wanted.filter((text) => !found.includes(text))).toEqual([])
      expect(found.length).toBe(new Set(found).size)
      expect(readdirSync(left).filter((name) => name.endsWith('.unreadable'))).toEqual([])
      await after.close()
    }
    expect(acknowledged).toBeGreaterThan(cuts)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
