/** @module Message of a 400 about unknown parameters: suggestions, and the allowed parameters. */

import { quoteInput } from './quote-input.ts'

/** Unknown parameters with a suggestion: each costs up to 70 comparisons. */
const maxSuggestions = 4

/** @param takes parameters of the operation, in the reference's order. */
export function explainUnknown(unknown: readonly string[], takes: readonly string[]): string {
  const named = unknown.map((name, index) => {
    const meant = index < maxSuggestions ? likely(name, takes) : []
    return meant.length > 0 ? `${quoteInput(name)} (did you mean ${meant.join(' or ')}?)` : quoteInput(name)
  })
  return `This operation has no parameter ${named.join(', ')}; allowed: ${describe(takes)}`
}

/** Multi-value filters (Rule 22) are only described, because there are up to 70 names. */
function describe(takes: readonly string[]): string {
  if (takes.length === 0) return 'none'
  const filters = takes.filter((name) => takes.includes(`${name}.any`))
  if (filters.length === 0) return takes.join(', ')
  const others = takes.filter((name) => !filters.includes(name) && !filters.some((one) => name.startsWith(`${one}.`)))
  const ofText = takes.some((name) => name.endsWith('.contains'))
    ? ', text filters also as x.contains (a substring)'
    : ''
  return `${others.join(', ')}, and ${filters.join(', ')}, each filter x also as x.any (one of several values) and x.not (none of these values)${ofText}`
}

const maxLength = 32
const minPart = 4

/**
 * Up to three names: those with the fewest edits, at most a third of the letters, otherwise names that contain it or
 * that it begins with.
 */
function likely(name: string, takes: readonly string[]): readonly string[] {
  const given = comparable(name)
  if (given.length > maxLength) return []
  const edits = takes.map((one) => editDistance(given, comparable(one)))
  const fewest = Math.min(...edits)
  if (fewest <= given.length / 3) return takes.filter((_, index) => edits[index] === fewest).slice(0, 3)
  if (given.length < minPart) return []
  const isPart = (one: string) => one.includes(given) || given.startsWith(`${one}.`)
  return takes.filter((one) => !one.includes('.') && isPart(comparable(one))).slice(0, 3)
}

/** `site_id`, `siteId[]` and `SITEID` are `siteid`. */
const comparable = (name: string) => name.toLowerCase().replaceAll(/[^a-z\d.]/g, '')

/** Levenshtein: letters inserted, removed and replaced. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
