/** @module Versions in semantic order, in the forms that library authors use. */

import { byText } from '../by-text.ts'

interface Version {
  readonly numbers: readonly string[]
  readonly words: readonly string[]
}

function parse(version: string): Version {
  const [withoutBuild = ''] = version
    .trim()
    .replace(/^[v=]+/i, '')
    .split('+')
  const dash = withoutBuild.indexOf('-')
  const core = dash < 0 ? withoutBuild : withoutBuild.slice(0, dash)
  return { numbers: core.split('.'), words: dash < 0 ? [] : withoutBuild.slice(dash + 1).split('.') }
}

const isNumber = (text: string) => /^\d+$/.test(text)

/** Numbers before words, numbers by their value, words by their letters. */
function compareIdentifiers(a: string, b: string): number {
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1
  if (!isNumber(a)) return byText(a, b)
  const [short, long] = [a, b].map((digits) => digits.replace(/^0+/, '')) as [string, string]
  return short.length - long.length || byText(short, long)
}

/** For `sort`. `1.12` is `1.12.0`; a leading `v` and build words are ignored. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [parse(a), parse(b)]
  for (let at = 0; at < Math.max(one.numbers.length, other.numbers.length); at++) {
    const order = compareIdentifiers(one.numbers[at] ?? '0', other.numbers[at] ?? '0')
    if (order !== 0) return order
  }
  // A pre-release comes before its release.
  if (one.words.length === 0 || other.words.length === 0) return other.words.length - one.words.length
  for (let at = 0; at < Math.min(one.words.length, other.words.length); at++) {
    const order = compareIdentifiers(one.words[at] ?? '', other.words[at] ?? '')
    if (order !== 0) return order
  }
  return one.words.length - other.words.length
}

/** Null leaves an end open. */
export interface VersionRange {
  readonly introduced: string | null
  readonly fixed: string | null
  /** Set if no fix is known. */
  readonly lastAffected: string | null
}

export function isWithin(version: string, { introduced, fixed, lastAffected }: VersionRange): boolean {
  if (introduced !== null && compareVersions(version, introduced) < 0) return false
  if (fixed !== null && compareVersions(version, fixed) >= 0) return false
  return lastAffected === null || compareVersions(version, lastAffected) <= 0
}
