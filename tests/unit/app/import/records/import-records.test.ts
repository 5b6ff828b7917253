import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Rejection } from '../../../../../app/import/ndjson/rejected-line.ts'
import { importRecords, type RecordImportOptions } from '../../../../../app/import/records/import-records.ts'
import { type RecordType, recordType } from '../../../../../app/import/records/record-type.ts'
import { alertRules } from '../../../../../app/import/records/types/alert-rules.ts'
import { recordUuid } from '../../../../../schema/record-fields.ts'

/** Notes that are stored for good with their colour. */
const notes = recordType({
  name: 'notes',
  label: 'notes',
  schema: z.strictObject({ id: recordUuid, text: z.string(), colour: z.string().default('red') }),
  foreignKeys: {},
  isGlobal: true,
  table: 'notes',
  immutable: { colour: 'colour' },
  toRow: (note) => note,
  example: {},
})

const idOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const note = (index: number, rest: object = {}) => JSON.stringify({ id: idOf(index), text: `note ${index}`, ...rest })

/** Imports lines into a store that only remembers what it is sent. */
async function importing(
  text: string | Iterable<string | Buffer>,
  options: Partial<RecordImportOptions> = {},
  stored: object[] = [],
) {
  const inserts: { text: string }[][] = []
  const rejections: Omit<Rejection, 'bytes'>[] = []
  const progress: number[] = []
  const result = await importRecords({
    source: (async function* () {
      yield* typeof text === 'string' ? [text] : text
    })(),
    type: notes,
    database: {
      read: async <Row>() => stored as Row[],
      insert: async (_statement, rows) => {
        const lines = (rows as Buffer).toString().split('\n')
        inserts.push(lines.map((line) => JSON.parse(line)))
      },
    },
    onReject: ({ bytes: _, ...rejection }) => void rejections.push(rejection),
    onProgress: ({ bytesRead }) => progress.push(bytesRead),
    ...options,
  })
  return { result, inserts, rejections, progress }
}

describe('an import', () => {
  test('a record import counts stored and rejected lines, and reports each rejection by its line', async () => {
    const { result, inserts, rejections } = await importing(
      `${note(1)}\n\n no JSON\n${note(2)}\r\n${note(3, { x: 1 })}`,
    )
    expect(result).toEqual({ records: 4, stored: 2, rejected: 2 })
    expect(inserts.flat().map(({ text }) => text)).toEqual(['note 1', 'note 2'])
    expect(rejections).toEqual([
      { line: 3, reason: expect.stringContaining('not JSON'), content: { body: ' no JSON' } },
      {
        line: 5,
        reason: '"x" is not allowed; expected id, text, colour',
        content: JSON.parse(note(3, { x: 1 })),
      },
    ])
  })

  test('a record import goes batch by batch, with lines split over chunks', async () => {
    const whole = Array.from({ length: 50 }, (_, index) => `${note(index)}\n`).join('')
    const pieces = whole.match(/[\s\S]{1,37}/g) ?? []
    const { result, inserts, progress } = await importing(pieces, { limits: { batchBytes: 500, maxLineBytes: 200 } })
    expect(result).toEqual({ records: 50, stored: 50, rejected: 0 })
    expect(inserts.length).toBeGreaterThan(5)
    expect(inserts.flat().map(({ text }) => text)).toEqual(Array.from({ length: 50 }, (_, index) => `note ${index}`))
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(progress.at(-1)).toBe(whole.length)
  })

  test('a record import rejects a line that is not UTF-8, and accepts a sent U+FFFD', async () => {
    const lines = `${note(1, { text: 'Zoë' })}\n${note(2, { text: '\ufffd' })}\n`
    const latin = Buffer.from(lines.split('\n')[0] ?? '', 'latin1')
    const { result, inserts, rejections } = await importing([latin, `\n${lines}`])
    expect(result).toEqual({ records: 3, stored: 2, rejected: 1 })
    expect(inserts.flat().map(({ text }) => text)).toEqual(['Zoë', '\ufffd'])
    expect(rejections).toEqual([
      { line: 1, reason: 'the line is not UTF-8', content: { body: note(1, { text: 'Zo\ufffd' }) } },
    ])
  })

  test('a record import rejects an overlong line, and goes on', async () => {
    const long = note(1, { text: 'x'.repeat(500) })
    const { result, rejections } = await importing(`${long}\n${note(2)}`, {
      limits: { batchBytes: 500, maxLineBytes: 200 },
    })
    expect(result).toEqual({ records: 2, stored: 1, rejected: 1 })
    expect(rejections).toEqual([
      { line: 1, reason: `the line has ${long.length} bytes; the maximum is 200`, content: {} },
    ])
  })

  test('a record import stores the last of several lines with one id', async () => {
    const { result, inserts } = await importing(`${[note(1), note(2), note(1, { text: 'again' })].join('\n')}\n`)
    expect(result).toEqual({ records: 3, stored: 3, rejected: 0 })
    expect(inserts.flat().map(({ text }) => text)).toEqual(['again', 'note 2'])
  })

  test('a record import stores the line of the greatest version where the type has one', async () => {
    const type: RecordType = { ...notes, version: 'text' }
    const lines = [
      note(1, { text: '2026-02' }),
      note(1, { text: '2026-01' }),
      note(2, { text: '1' }),
      note(2, { text: '2' }),
    ]
    const { result, inserts } = await importing(`${lines.join('\n')}\n`, { type })
    expect(result).toEqual({ records: 4, stored: 4, rejected: 0 })
    expect(inserts.flat().map(({ text }) => text)).toEqual(['2026-02', '2'])
  })

  test('a record import stores the last of several lines with one id and version', async () => {
    const type: RecordType = { ...notes, version: 'colour' }
    const { inserts } = await importing(`${note(1)}\n${note(1, { text: 'again' })}\n`, { type })
    expect(inserts.flat().map(({ text }) => text)).toEqual(['again'])
  })

  test('a record import changes no immutable field, be it stored or of an earlier line', async () => {
    const lines = [note(1, { colour: 'blue' }), note(2), note(2, { colour: 'blue' }), note(3)].join('\n')
    const { result, inserts, rejections } = await importing(lines, {}, [{ id: idOf(1), fixed: ['red'] }])
    expect(result).toEqual({ records: 4, stored: 2, rejected: 2 })
    expect(inserts.flat().map(({ text }) => text)).toEqual(['note 2', 'note 3'])
    expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
      [1, `colour of the id ${idOf(1)} is red and cannot be changed to blue`],
      [3, `colour of the id ${idOf(2)} is red and cannot be changed to blue`],
    ])
  })

  test('a record import changes a field while it is mutable, and skips its earlier value', async () => {
    const type: RecordType = { ...notes, immutable: { colour: { column: 'colour', mutableWhile: 'wet' } } }
    const wet = (index: number) => note(index, { colour: 'wet' })
    const lines = [wet(1), note(1), wet(1), note(1, { text: 'again' }), wet(2), note(3), note(3, { colour: 'blue' })]
    const stored = [2, 3].map((index) => ({ id: idOf(index), fixed: [index === 2 ? 'red' : 'wet'] }))
    const { result, inserts, rejections } = await importing(`${lines.join('\n')}\n`, { type }, stored)
    expect(result).toEqual({ records: 7, stored: 6, rejected: 1 })
    expect(inserts.flat()).toEqual([
      { id: idOf(1), text: 'again', colour: 'red' },
      { id: idOf(3), text: 'note 3', colour: 'red' },
    ])
    expect(rejections.map(({ reason }) => reason)).toEqual([
      `colour of the id ${idOf(3)} is red and cannot be changed to blue`,
    ])
  })

  test('a record import of an empty file stores nothing', async () => {
    const { result, inserts } = await importing('\n\n')
    expect(result).toEqual({ records: 0, stored: 0, rejected: 0 })
    expect(inserts).toEqual([])
  })

  test('a record import ends between two batches when it is aborted', async () => {
    const stopping = new AbortController()
    const lines = Array.from({ length: 50 }, (_, index) => `${note(index)}\n`)
    const ended = importing(lines, {
      limits: { batchBytes: 500, maxLineBytes: 200 },
      signal: stopping.signal,
      onProgress: () => stopping.abort(new Error('stopped')),
    })
    await expect(ended).rejects.toThrow('stopped')
  })

  test('a record import has a tenant unless the type is global', async () => {
    await expect(importing('', { tenantId: idOf(1) })).rejects.toThrow('tenantId is ')
    await expect(importing('', { type: alertRules })).rejects.toThrow('tenantId is ')
  })
})
