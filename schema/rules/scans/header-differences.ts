/** @module Differences of a header's values by directive, for messages, reports and the explorer. */

import type { ScanChanges } from '../../responses/scan.ts'

/** Separators of the directives of a header. */
const separators: Readonly<Record<string, string>> = {
  'permissions-policy': ',',
  'x-frame-options': ',',
  'referrer-policy': ',',
}

/** Values by name; the values of a repeated directive follow the earlier ones. */
export function directivesOf(header: string, value: string | null): ReadonlyMap<string, readonly string[]> {
  const directives = new Map<string, readonly string[]>()
  const texts = (value ?? '').split('\n').flatMap((line) => line.split(separators[header] ?? ';'))
  for (const text of texts) {
    const [, name, rest = ''] = /^([^\s=]+=?)(.*)$/s.exec(text.trim()) ?? []
    if (name) directives.set(name, [...(directives.get(name) ?? []), ...(rest.match(/\S+/g) ?? [])])
  }
  return directives
}

/**
 * Lines such as `+ script-src https://cdn.test`, with the values of a directive that only one side has. Both sides are
 * whole if only the order or the number of values differs.
 */
export function headerDifferences({ header, before, after }: ScanChanges['headers'][number]): string[] {
  const [old, now] = [directivesOf(header, before), directivesOf(header, after)]
  const lines = [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [from, to] = [old.get(name), now.get(name)]
    if (from?.join(' ') === to?.join(' ')) return []
    const [removed, added] = [lacking(from, to), lacking(to, from)]
    const isOrder = from && to && removed.length + added.length === 0
    return [
      ...(isOrder || !to || removed.length > 0 ? lineOf('-', name, isOrder ? from : removed) : []),
      ...(isOrder || !from || added.length > 0 ? lineOf('+', name, isOrder ? to : added) : []),
    ]
  })
  if (lines.length > 0) return lines
  return [before && `- ${before}`, after && `+ ${after}`].flatMap((line) => line || [])
}

/** All values if the directive is on one side only. */
const lacking = (values: readonly string[] = [], others: readonly string[] = []) =>
  values.filter((value) => !others.includes(value))

const lineOf = (sign: string, name: string, values: readonly string[]) => [
  `${sign} ${[name, ...values].join(name.endsWith('=') ? '' : ' ')}`,
]
