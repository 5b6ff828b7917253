import { readdir } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { createBlockSender } from '../../app/collector/block-sender.ts'
import type { BlockSenderOptions } from '../../app/collector/block-sender-options.ts'
import { type SettleInsert, settleInsert } from '../../app/collector/settle-insert.ts'
import { openSpool } from '../../app/collector/spool.ts'
import { clickHouseReportWriter } from '../../app/import/reports/clickhouse-report-writer.ts'
import { toInsertLine } from '../../app/import/reports/insert-block.ts'
import { withRetry } from '../../app/import/with-retry.ts'
import { logImportSteps } from '../../clickhouse/log-import-steps.ts'
import { aReport } from '../../fixtures/reports.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { type ErrorCode, errorCodes } from '../../queries/clickhouse/error-codes.ts'
import { countStoredRows } from '../../queries/reports/count-stored-rows.ts'
import { temporaryFolders } from '../support/collector-posts.ts'
import { queryRows } from '../support/database.ts'
import { type FakeClickHouse, startFakeClickHouse } from '../support/fake-clickhouse.ts'
import { connectPatiently, patience, patientBlocks } from '../support/patience.ts'
import { playStatements } from '../support/played-statements.ts'

/** A code that no release of ClickHouse has. */
const unknown: ErrorCode = { name: 'unknown', mayHaveRun: true, anotherNode: false, ourFault: false }
const codes = [...errorCodes, ['54321', unknown] as const]
const isTransient = ({ mayHaveRun, anotherNode, ourFault }: ErrorCode) => !ourFault && (mayHaveRun || anotherNode)
const codesThat = (has: (code: ErrorCode) => boolean) => codes.filter(([, code]) => has(code)).map(([code]) => code)

const report = aReport()
const rows = Buffer.from(toInsertLine(report))
const count = countStoredRows([{ tenantId: report.tenantId, receivedAt: report.receivedAt, id: report.id }])
const folders = temporaryFolders()

/** Codes of the responses to a read, and to the insert of a token; without one a ClickHouse that has no reports. */
let codeOfRead: () => string | undefined = () => undefined
let codeOfInsert: (token: string, attempt: number) => string | undefined = () => undefined
/** Rows of a block's two ends that `reports` has. */
let storedEnds = 0
/** Tokens, one an attempt. */
let inserts: string[] = []

const message = 'it failed.'
let fake: FakeClickHouse

playStatements(({ origin, text, search }) => {
  if (origin !== fake.origin) return undefined
  if (!text.startsWith('INSERT INTO reports ')) return 'done'
  const token = search.get('query_id') ?? ''
  inserts.push(token)
  const code = codeOfInsert(token, inserts.filter((other) => other === token).length)
  return code === undefined ? 'done' : { code, message }
})

let url: string
let database: Database

beforeAll(async () => {
  fake = await startFakeClickHouse(({ query }) => {
    const code = query === '' ? undefined : codeOfRead()
    return code === undefined ? [{ rows: storedEnds }] : { code, message }
  })
  url = `${fake.origin}/default`
  database = connectPatiently(url)
})
afterEach(() => {
  codeOfRead = () => undefined
  codeOfInsert = () => undefined
  inserts = []
  storedEnds = 0
})
afterAll(async () => {
  await database.close()
  await fake.close()
  await folders.remove()
})

test('each code has the name that ClickHouse gives it', async () => {
  const engine = connectPatiently(inject('servers').writeUrl)
  const names = `SELECT arrayMap(code -> errorCodeToName(code), [${[...errorCodes.keys()]}]::Array(UInt32))`
  expect(await queryRows(engine, names)).toEqual([[[...errorCodes.values()].map(({ name }) => name)]])
  await engine.close()
})

test('a read fails as an error of ours, or as ClickHouse being unavailable', async () => {
  for (const [code, { ourFault }] of codes) {
    codeOfRead = () => code
    const error = await database.read(count).catch((error: unknown) => error)
    expect(error, code).toMatchObject({ code: ourFault ? code : 'upstream_unavailable' })
  }
})

test('a read goes to another node where that may run it', async () => {
  const cluster = connect(url.replace(/(127[^/]+)/, '$1,$1'), patience)
  const onNewNodes = ['UNKNOWN_TABLE', 'UNKNOWN_DATABASE']
  for (const [code, { name, anotherNode }] of codes) {
    let reads = 0
    codeOfRead = () => (reads++ === 0 ? code : undefined)
    const found = await cluster.read(count).catch(() => undefined)
    expect([found, reads], code).toEqual(anotherNode || onNewNodes.includes(name) ? [[{ rows: 0 }], 2] : [undefined, 1])
  }
  await cluster.close()
})

test('an import sends its block again, or ends', async () => {
  codeOfInsert = (token, attempt) => (attempt === 1 ? token : undefined)
  const writer = clickHouseReportWriter(database)
  const ended: string[] = []
  for (const [code] of codes) {
    const waits = { retries: 14, minTimeout: 1, maxTimeout: 1 }
    await withRetry(() => writer.write([rows], code), undefined, waits).catch(() => ended.push(code))
  }
  expect(ended).toEqual(codesThat((code) => !isTransient(code)))
  expect(inserts.filter((token, index) => inserts.indexOf(token) !== index)).toEqual(codesThat(isTransient))
})

describe('a collector’s block', () => {
  async function openSender(
    settle: SettleInsert = settleInsert(database, { lateMs: 0 }),
    timeouts: BlockSenderOptions['timeouts'] = {},
  ) {
    const folder = await folders.make()
    const spool = await openSpool(folder)
    const refused: string[] = []
    const sender = createBlockSender({
      writer: clickHouseReportWriter(database),
      logSteps: logImportSteps(database),
      ...{ spool, settle },
      timeouts: { ...patientBlocks.timeouts, recoveryPauseMs: 1, retryPauseMs: 1, ...timeouts },
      onRefusal: (token) => refused.push(token),
    })
    const files = () => readdir(folder)
    const untilRecovered = () => expect.poll(sender.isRecovering, { interval: 20 }).toBe(false)
    return { folder, spool, sender, refused, files, untilRecovered }
  }
  const block = { stepToken: 'collector a', tenantIds: [report.tenantId], rows }

  test('that a killed collector left is set aside where it is refused, and sent again where not', async () => {
    codeOfInsert = (token, attempt) => (attempt === 1 ? token : undefined)
    const { spool, sender, files, untilRecovered } = await openSender()
    for (const [token] of codes) await spool.save({ ...block, token })
    sender.sendLeftovers()
    await untilRecovered()
    expect((await files()).sort()).toEqual(
      codesThat(({ ourFault }) => ourFault)
        .map((token) => `${token}.refused`)
        .sort(),
    )
    for (const [token, { ourFault }] of codes) {
      expect(inserts.filter((other) => other === token).length, token).toBe(ourFault ? 1 : 2)
    }
    await sender.close()
  })

  test('is set aside only where it is refused; its posts are stored where a second insert succeeds', async () => {
    const { sender, refused, files, untilRecovered } = await openSender()
    const stored: string[] = []
    for (const [code, { ourFault }] of codes) {
      codeOfInsert = (_, attempt) => (attempt === 1 ? code : undefined)
      const before = refused.length
      await sender.send([report.tenantId], rows).then(
        () => stored.push(code),
        () => untilRecovered(),
      )
      expect(refused.length - before, code).toBe(ourFault ? 1 : 0)
    }
    expect(stored).toEqual(codesThat(isTransient))
    expect((await files()).sort()).toEqual(refused.map((token) => `${token}.refused`).sort())
    await sender.close()
  })

  describe.each([
    ['whole', 2],
    ['half', 1],
    ['absent', 0],
  ])('that is found %s', (_, ends) => {
    test('after its posts got a 503 is completed, whatever the error of its insert; an absent one is dropped', async () => {
      storedEnds = ends
      codeOfInsert = (token, attempt) => (attempt === 1 ? token : undefined)
      const { spool, sender, files, untilRecovered } = await openSender()
      for (const [token] of codes) {
        await spool.save({ ...block, token })
        await spool.withdraw(token)
      }
      sender.sendLeftovers()
      await untilRecovered()
      const isStored = ends > 0
      const refused = isStored ? codesThat(({ ourFault }) => ourFault) : []
      expect((await files()).sort()).toEqual(refused.map((token) => `${token}.refused`).sort())
      for (const [token, { ourFault }] of codes) {
        const expected = isStored ? (ourFault ? 1 : 2) : 0
        expect(inserts.filter((other) => other === token).length, token).toBe(expected)
      }
      await sender.close()
    })

    test.each(['32', '243', '54321', '60', '62', '395'])('after error %s of its insert', async (code) => {
      storedEnds = ends
      codeOfInsert = (_, attempt) => (attempt === 1 ? code : undefined)
      // No time for a second insert before it is settled.
      const { sender, refused, files, untilRecovered } = await openSender(undefined, {
        insertTimeoutMs: 60,
        retryPauseMs: 100,
      })
      const [sent] = await Promise.allSettled([sender.send([report.tenantId], rows)])
      await untilRecovered()
      const isRefused = ends === 0 && errorCodes.get(code)?.ourFault === true
      expect(sent?.status).toBe(ends > 0 ? 'fulfilled' : 'rejected')
      expect([refused.length, (await files()).length]).toEqual(isRefused ? [1, 1] : [0, 0])
      // A stored block is sent until its views have it too.
      expect(new Set(inserts).size).toBe(1)
      if (ends > 0) expect(inserts.length).toBeGreaterThan(1)
      await sender.close()
    })
  })

  test('without rows is never set aside', async () => {
    codeOfInsert = () => '62'
    const { spool, sender, files, untilRecovered } = await openSender()
    for (const token of ['a', 'b']) await spool.save({ ...block, token, rows: Buffer.alloc(0) })
    await spool.withdraw('b')
    sender.sendLeftovers()
    await untilRecovered()
    expect(await files()).toEqual([])
    await sender.close()
  })

  test('that is refused while nobody knows whether a part of it is stored is not set aside before that is known', async () => {
    codeOfInsert = () => '62'
    let settled = 0
    const settle: SettleInsert = async () => {
      if (settled++ === 0) throw new Error('ClickHouse does not respond')
      return false
    }
    const { sender, refused, files, untilRecovered } = await openSender(settle)
    await expect(sender.send([report.tenantId], rows)).rejects.toMatchObject({ code: '62' })
    await untilRecovered()
    expect([settled, refused, await files()]).toEqual([2, [], []])
    await sender.close()
  })
})
