/** @module Differences between the headers of two scans, by directive. */

import { directivesOf } from '../../../../schema/rules/scans/header-differences.ts'

/** `isOnly`: the other scan lacks it */
export type Part = { text: string; isOnly: boolean }
/** undefined if a scan has no such directive */
export type DirectiveDiff = { name: string; before?: Part[] | undefined; after?: Part[] | undefined }
export type HeaderDiff = { header: string; change: 'added' | 'removed' | 'changed'; directives: DirectiveDiff[] }

export function diffHeaders(before: Record<string, string | null>, after: Record<string, string | null>): HeaderDiff[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((header) => {
    const [old, now] = [before[header] ?? null, after[header] ?? null]
    if (old === now) return []
    const [from, to] = [directivesOf(header, old), directivesOf(header, now)]
    const change = old === null ? 'added' : now === null ? 'removed' : 'changed'
    const names = [...new Set([...from.keys(), ...to.keys()])]
    const directives = names
      .filter((name) => from.get(name)?.join(' ') !== to.get(name)?.join(' '))
      .map((name) => ({
        name,
        before: marked(from.get(name), to.get(name)),
        after: marked(to.get(name), from.get(name)),
      }))
    return [{ header, change, directives }]
  })
}

const marked = (values?: readonly string[], others?: readonly string[]): Part[] | undefined =>
  values?.map((text) => ({ text, isOnly: !others?.includes(text) }))
