import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { importReports } from '../../../../../app/import/reports/import-reports.ts'

const siteId = '22222222-2222-4222-8222-222222222222'

interface Told {
  readonly step: 'start' | 'write' | 'finish'
  readonly stored?: number
}

/** Imports one report of a type; what is to hold a step, or to break it, stands in its place. */
function importing(type: string, held: Partial<Record<Told['step'], Promise<void>>> = {}) {
  const told: Told[] = []
  const tell = async (one: Told) => {
    told.push(one)
    await held[one.step]
  }
  let imported = Promise.resolve()
  const read = new Promise<void>((resolve) => {
    imported = importReports({
      source: (async function* () {
        yield `${JSON.stringify([{ type, url: 'https://a.test/', body: {} }])}\n`
      })(),
      tenantId: '11111111-1111-4111-8111-111111111111',
      sites: [{ id: siteId, hosts: [] }],
      siteId,
      retentionDays: 60,
      importLog: {
        following: async () => [],
        find: async () => [],
        start: () => tell({ step: 'start' }),
        finish: (_pass, { stored }) => tell({ step: 'finish', stored }),
        checkBoot: async () => {},
      },
      writer: { write: () => tell({ step: 'write' }) },
      restorer: { insertMissing: async () => 0, recount: async () => {} },
      onProgress: () => resolve(),
    }).then(() => {})
  })
  return { told, imported, read }
}

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('the import log', () => {
  test('the import log has a batch as done only after its rows are stored', async () => {
    const { opened, open } = gate()
    const { told, imported, read } = importing('crash', { write: opened })
    await read
    await nextTurn()
    expect(told).toEqual([{ step: 'start' }, { step: 'write' }])
    open()
    await imported
    expect(told.slice(2)).toEqual([{ step: 'finish', stored: 1 }])
  })

  test('the import log has no batch as done whose rows could not be written', async () => {
    const broken = Promise.reject(new Error('broken'))
    broken.catch(() => {})
    const { told, imported } = importing('crash', { write: broken })
    await expect(imported).rejects.toThrow('broken')
    expect(told).toEqual([{ step: 'start' }, { step: 'write' }])
  })

  test('the import log has a batch as started before its first row is written', async () => {
    const { opened, open } = gate()
    const { told, imported } = importing('crash', { start: opened })
    await expect.poll(() => told).toHaveLength(1)
    await nextTurn()
    expect(told).toEqual([{ step: 'start' }])
    open()
    await imported
    expect(told.slice(1)).toEqual([{ step: 'write' }, { step: 'finish', stored: 1 }])
  })

  test('the import log has the end of a batch without rows', async () => {
    const { told, imported } = importing('csp-hash')
    await imported
    expect(told).toEqual([{ step: 'start' }, { step: 'finish', stored: 0 }])
  })
})

test.each([true, false])(
  'a block whose insert is repeated is counted again at the end, on a cluster only: %s',
  async (isCluster) => {
    const told: string[] = []
    let attempts = 0
    await importReports({
      source: (async function* () {
        yield `${JSON.stringify([{ type: 'crash', url: 'https://a.test/', body: {} }])}\n`
      })(),
      tenantId: '11111111-1111-4111-8111-111111111111',
      sites: [{ id: siteId, hosts: [] }],
      siteId,
      retentionDays: 60,
      recountsRepeated: isCluster,
      importLog: {
        following: async () => [],
        find: async () => [],
        start: async () => {},
        finish: async () => void told.push('finish'),
        checkBoot: async () => {},
      },
      writer: {
        async write() {
          told.push('write')
          if (attempts++ === 0) throw Object.assign(new Error('ended'), { code: 'ECONNRESET' })
        },
      },
      restorer: {
        async insertMissing() {
          told.push('look up')
          return 0
        },
        recount: async () => void told.push('recount'),
      },
    })
    expect(told).toEqual(['write', 'write', ...(isCluster ? ['look up', 'recount'] : []), 'finish'])
  },
)
