import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClickHouseError } from '@clickhouse/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BlockSenderOptions, createBlockSender } from '../../../../app/collector/block-sender.ts'
import { type CollectorLog, openCollectorLog } from '../../../../app/collector/collector-log.ts'
import { errorCodes } from '../../../../queries/clickhouse/error-codes.ts'
import type { Query } from '../../../../queries/sql/query.ts'

let folder: string
let log: CollectorLog
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sender-'))
  log = await openCollectorLog({ folder })
})
afterEach(async () => {
  await log.close()
  rmSync(folder, { recursive: true })
})

const tenantId = '5ec0de00-0000-4000-8000-0000000000aa'
const siteId = '5ec0de00-0000-4000-8000-0000000001aa'

async function addSegment() {
  const lines = Buffer.from('["a"]\n')
  await log.append({ tenantId, siteId, tokenHash: '', receivedAt: Date.now(), reports: 1, lines })
  await log.seal()
  const segment = log.segments()[0]
  if (!segment) throw new Error('There is no segment')
  return segment
}

/** A sender whose database has the site; each of its steps is recorded. */
function openSender(replaced: Partial<BlockSenderOptions> = {}) {
  const calls: string[] = []
  const present = new Set([siteId])
  const read = async <Row>({ name }: Query<Row>) => {
    if (name === 'listPresentSites') calls.push('sites')
    return (name === 'listPresentSites' && present.has(siteId) ? [{ tenantId, siteId }] : []) as Row[]
  }
  const sender = createBlockSender({
    log,
    database: { read, ping: async () => true },
    writer: { write: async (_, token) => void calls.push(`insert ${token}`) },
    logSteps: async (_, __, state) => void calls.push(state),
    stepToken: 'collector a',
    restore: async () => {
      calls.push('restore')
      const nothing = { refused: new Map(), dropped: new Map() }
      return { blocks: 1, reports: 0, correctedDays: 0, unsettled: [], ...nothing }
    },
    prepare: async () => void calls.push('prepare'),
    boot: () => '',
    timeouts: { pauseMs: 1, longestPauseMs: 1 },
    ...replaced,
  })
  return { sender, calls, present }
}

const untilSent = () => expect.poll(() => log.segments(), { interval: 5 }).toEqual([])

test('a block is logged as started before its sites are read, and as done behind its insert', async () => {
  const { sender, calls } = openSender()
  const { token } = await addSegment()
  sender.add(log.segments()[0] as never)
  await untilSent()
  expect(calls).toEqual(['prepare', 'started', 'sites', `insert ${token}`, 'done'])
  await sender.close()
})

test('of a site that is deleted nothing is inserted, and its tenant is done', async () => {
  const { sender, calls, present } = openSender()
  present.clear()
  await addSegment()
  sender.add(log.segments()[0] as never)
  await untilSent()
  expect(calls).toEqual(['prepare', 'started', 'sites', 'done'])
  await sender.close()
})

test('a block whose value does not fit is looked up by id; after any other error the same token is sent again', async () => {
  for (const [code, { name, ourFault, mayHaveRun }] of [...errorCodes, ['54321', { name: 'unknown' }] as const].map(
    ([code, traits]) => [code, { ourFault: false, mayHaveRun: true, ...traits }] as const,
  )) {
    let attempts = 0
    const tokens: string[] = []
    const { sender, calls } = openSender({
      writer: {
        async write(_, token) {
          tokens.push(token)
          if (attempts++ === 0) throw new ClickHouseError({ message: 'it failed', code, type: name })
        },
      },
    })
    const { token } = await addSegment()
    sender.add(log.segments()[0] as never)
    await untilSent()
    const isBadValue = ourFault && mayHaveRun
    expect(calls.includes('restore'), `${code} ${name}`).toBe(isBadValue)
    expect(tokens, `${code} ${name}`).toEqual(isBadValue ? [token] : [token, token])
    await sender.close()
  }
})

test.each([
  [true, ['insert', 'restore']],
  [false, ['insert', 'done']],
])('a repeated block is recounted on a cluster only: %s', async (recountsRepeated, ends) => {
  let attempts = 0
  const { sender, calls } = openSender({
    recountsRepeated,
    writer: {
      async write() {
        calls.push('insert')
        if (attempts++ % 2 === 0) throw Object.assign(new Error('ended'), { code: 'ECONNRESET' })
      },
    },
  })
  await addSegment()
  sender.add(log.segments()[0] as never)
  await untilSent()
  expect(attempts).toBe(2)
  expect(calls.slice(-2)).toEqual(ends)
  await sender.close()
})

test('a token is trusted for ten minutes after the first attempt; then the block is looked up by id', async () => {
  let attempts = 0
  const { sender, calls } = openSender({
    timeouts: { pauseMs: 1, longestPauseMs: 1, tokenMs: 20 },
    writer: {
      async write() {
        attempts++
        await new Promise((resolve) => setTimeout(resolve, 30))
        throw Object.assign(new Error('ended'), { code: 'ECONNRESET' })
      },
    },
  })
  await addSegment()
  sender.add(log.segments()[0] as never)
  await untilSent()
  expect(attempts).toBe(1)
  expect(calls.at(-1)).toBe('restore')
  await sender.close()
})

test('a block whose site is deleted after its first attempt is looked up by id', async () => {
  const { sender, calls, present } = openSender({
    writer: {
      async write() {
        present.clear()
        throw Object.assign(new Error('ended'), { code: 'ECONNRESET' })
      },
    },
  })
  await addSegment()
  sender.add(log.segments()[0] as never)
  await untilSent()
  expect(calls.at(-1)).toBe('restore')
  await sender.close()
})
