import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProgram } from '../../../../app/cli/program.ts'
import { describeProgress, withProgress } from '../../../../app/program/show-progress.ts'

const note = '1,000 reports, 500/s'

describe('a line of progress', () => {
  test('a progress line has percent, note and remaining time where the total is known', () => {
    const line = describeProgress({ done: 25, total: 100, milliseconds: 30_000, note })
    expect(line).toBe(`25 %  ${note}, 1 min 30 s left`)
  })

  test('a progress line has the elapsed time where the total is not known', () => {
    expect(describeProgress({ done: 25, total: undefined, milliseconds: 3_720_000, note })).toBe(`${note}, 1 h 2 min`)
  })

  test('a progress line never passes 100 %, as a file can grow', () => {
    expect(describeProgress({ done: 130, total: 100, milliseconds: 1_000, note })).toMatch(/^100 %/)
  })

  test('a progress line has no remaining time before anything is done', () => {
    expect(describeProgress({ done: 0, total: 100, milliseconds: 1_000, note })).not.toContain('left')
  })
})

function stream(isTTY: boolean) {
  const output = Object.assign(new PassThrough(), { isTTY, columns: 40 }) as unknown as NodeJS.WriteStream
  return { output, text: () => String((output as unknown as PassThrough).read() ?? '') }
}

const restartOfLine = '\u001b[1G'
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins what commands a terminal
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('progress is redrawn on a terminal within its width, and its last state ends the line', async () => {
    const { output, text } = stream(true)
    await withProgress(output, 100, async (update) => {
      update(25, note)
      await vi.advanceTimersByTimeAsync(50)
      update(50, note)
      await vi.advanceTimersByTimeAsync(150)
      update(75, note)
    })
    const drawn = text()
      .split(restartOfLine)
      .filter((line) => line.includes('%'))
    const shown = drawn.map((line) => line.replace('\u001b[0K', ''))
    expect(shown).toHaveLength(2)
    expect(shown.every((line) => line.trimEnd().length <= 39)).toBe(true)
    expect(shown[0]).toBe(`${'█'.repeat(12)}${'░'.repeat(12)} ${'50 %  1,000 reports'.slice(0, 14)}`)
    expect(shown.at(-1)).toMatch(/ 75 %.*\n$/)
  })

  test('progress prints nothing on a terminal without an update', async () => {
    const { output, text } = stream(true)
    await withProgress(output, 100, async () => {})
    expect(text()).toBe('')
  })

  test('progress is a plain line every five seconds on a pipe, and nothing before', async () => {
    const { output, text } = stream(false)
    await withProgress(output, 100, async (update) => {
      for (let second = 1; second <= 11; second += 1) {
        await vi.advanceTimersByTimeAsync(1_000)
        update(second, note)
        if (second === 4) expect(text()).toBe('')
      }
    })
    const lines = text()
    expect(lines).not.toMatch(control)
    expect(lines).toMatch(/^ ?5 %.*\n10 %.*\n$/)
  })
})

describe.each(['check', 'rebuild'])('rollups %s', (name) => {
  test('the progress line ends before an error is printed', async () => {
    const { output, text } = stream(true)
    const rows: Readonly<Record<string, readonly object[]>> = {
      listViews: [
        {
          view: 'days_view',
          definition: 'SELECT 1 FROM reports',
          statement: 'CREATE MATERIALIZED VIEW days_view TO days',
        },
      ],
      listColumns: [
        { table: 'days', column: 'bucket', type: 'DateTime', key: true },
        { table: 'days', column: 'weight', type: 'SimpleAggregateFunction(sum, UInt64)', key: false },
      ],
      listRollupMonths: [{ tenant: '', partition: '209901', retention: 30, stored: 1 }],
      listUnfinishedImports: [],
      countOpenSteps: [],
      findEngine: [{ engine: 'Atomic' }],
      listTemporaryTables: [],
    }
    const unavailable = async () => {
      throw new Error('unavailable')
    }
    const leases: object[] = []
    const insert = async (_statement: string, row: Buffer) => void leases.splice(0, 1, JSON.parse(row.toString()))
    const read = async ({ name }: { name: string }) => (name === 'findLease' ? leases : (rows[name] ?? unavailable()))
    const command = (statement: string) =>
      statement.trim().startsWith('INSERT INTO import_log_by_time') ? undefined : unavailable()
    const writer = { read, command, insert }
    const database = async () => ({ reader: { read }, writer, shards: () => [writer] })
    const program = createProgram({ database, stderr: output } as never)
    await expect(program.parseAsync(['rollups', name], { from: 'user' })).rejects.toThrow('unavailable')
    expect(text()).toMatch(/ 0 %.*\n$/)
  })
})
