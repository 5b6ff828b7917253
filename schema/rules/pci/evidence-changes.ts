import type { PciReport } from '../../responses/pci-report.ts'
import { isSameJson } from './evidence-hash.ts'

type Evidence = PciReport['evidence']
type Item = Readonly<Record<string, unknown>>

interface Difference {
  readonly added: number
  readonly changed: number
  readonly removed: number
}

/** Key of an item in each list. */
const keys = {
  pages: ['id'],
  rules: ['id'],
  destinations: ['id'],
  decisions: ['id'],
  versions: ['url', 'hash'],
  captures: ['url', 'hash'],
  changes: ['scanId'],
  scriptChanges: ['scanId', 'url', 'hash', 'change'],
  deliveries: ['id'],
  scanWeeks: ['week'],
} as const

const single = ['tenant', 'site', 'plan'] as const

function difference(before: readonly Item[], after: readonly Item[], key: readonly string[]): Difference {
  const byKey = (items: readonly Item[]) =>
    new Map(items.map((item) => [JSON.stringify(key.map((name) => item[name])), item]))
  const [old, now] = [byKey(before), byKey(after)]
  const kept = [...now].filter(([id]) => old.has(id))
  return {
    added: now.size - kept.length,
    changed: kept.filter(([id, item]) => !isSameJson(item, old.get(id))).length,
    removed: old.size - kept.length,
  }
}

/** Number of differences per part of the evidence, for parts that differ. */
export function evidenceChanges(before: Evidence, after: Evidence): Readonly<Record<string, Difference>> {
  const lists = Object.entries(keys).map(([part, key]) => {
    const name = part as keyof typeof keys
    return [part, difference(before[name], after[name], key)] as const
  })
  const others = single.map(
    (part) => [part, difference([{ ...before[part], id: 1 }], [{ ...after[part], id: 1 }], ['id'])] as const,
  )
  const found = [...others, ...lists].filter(([, { added, changed, removed }]) => added + changed + removed > 0)
  return Object.fromEntries(found)
}
