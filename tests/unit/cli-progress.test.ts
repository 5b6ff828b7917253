import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { allCommands } from '../../app/cli/all-commands.ts'
import type { Command, CommandGroup } from '../../app/cli/command.ts'
import { describeProgress, showProgress } from '../../app/cli/show-progress.ts'

const note = '1,000 reports, 500/s'

describe('a line of progress', () => {
  test('tells percent, note and time left where the total is known', () => {
    const line = describeProgress({ done: 25, total: 100, milliseconds: 30_000, note })
    expect(line).toBe(`${'█'.repeat(6)}${'░'.repeat(18)} 25 %  ${note}, 1 min 30 s left`)
  })

  test('tells the time taken where the total is not known', () => {
    expect(describeProgress({ done: 25, total: undefined, milliseconds: 3_720_000, note })).toBe(`${note}, 1 h 2 min`)
  })

  test('never passes 100 %, as a file can grow', () => {
    expect(describeProgress({ done: 130, total: 100, milliseconds: 1_000, note })).toContain(' 100 %')
  })

  test('promises no time left before anything is done', () => {
    expect(describeProgress({ done: 0, total: 100, milliseconds: 1_000, note })).not.toContain('left')
  })
})

function stream(isTTY: boolean) {
  const output = Object.assign(new PassThrough(), { isTTY, columns: 40 }) as unknown as NodeJS.WriteStream
  return { output, text: () => String((output as unknown as PassThrough).read() ?? '') }
}

describe('progress', () => {
  test('is drawn over itself on a terminal, within its width, and left standing at the end', () => {
    const { output, text } = stream(true)
    let now = 0
    const progress = showProgress(output, 100, () => now)
    progress.update(10, note)
    now = 50
    progress.update(20, note)
    now = 200
    progress.update(30, note)
    progress.end()
    const drawn = text().split('\r\u001b[K').slice(1)
    expect(drawn).toHaveLength(2)
    expect(drawn.every((line) => line.trimEnd().length <= 39)).toBe(true)
    expect(drawn.at(-1)).toMatch(/ 30 %.*\n$/)
  })

  test('is a whole line every five seconds elsewhere', () => {
    const { output, text } = stream(false)
    let now = 0
    const progress = showProgress(output, 100, () => now)
    for (now = 1_000; now <= 11_000; now += 1_000) progress.update(now / 1_000, note)
    progress.end()
    expect(text().trimEnd().split('\n')).toHaveLength(2)
  })
})

describe.each(['check', 'rebuild'])('rollups %s', (name) => {
  test('ends the line of its progress before its error is told', async () => {
    const { output, text } = stream(true)
    const answers: Readonly<Record<string, readonly object[]>> = {
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
      listRollupMonths: [{ tenant: '', partition: '209901', retention: 30 }],
      listUnfinishedImports: [],
      listTablesAside: [],
    }
    const away = async () => {
      throw new Error('away')
    }
    const read = async (query: { name: string }) => answers[query.name] ?? away()
    const command = (statement: string) => (statement.startsWith('INSERT INTO import_log_by_time') ? undefined : away())
    const engine = async () => ({ reader: { read }, writer: { read, command } })
    const rollups = allCommands.commands.rollups as CommandGroup
    await expect(
      (rollups.commands[name] as Command).run({} as never, { engine, stderr: output } as never),
    ).rejects.toThrow('away')
    expect(text()).toMatch(/ 0 %.*\n$/)
  })
})
