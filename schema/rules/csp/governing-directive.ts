/** @module Which directive's list governs a request: CSP3, 6.8.1 and 6.8.3. */

import { type DirectiveValues, parsePolicy } from './parse-policy.ts'
import { parseSourceList, type SourceList } from './source-list.ts'

/** Lists by the directive's name. */
export type ParsedPolicy = ReadonlyMap<string, SourceList>

export const parseLists = (directives: DirectiveValues): ParsedPolicy =>
  new Map([...directives].map(([name, values]) => [name, parseSourceList(values)]))

export const parsePolicyLists = (policy: string): ParsedPolicy => parseLists(parsePolicy(policy))

/** Policies of a header's value, which commas separate. */
export const parsePolicies = (header: string): ParsedPolicy[] =>
  header
    .split(',')
    .map(parsePolicyLists)
    .filter(({ size }) => size > 0)

/** Parser of policies that share most of their lists, whose equal lists are one object. */
export function createPolicyParser(): (policy: string) => ParsedPolicy {
  const known = new Map<string, SourceList>()
  function listOf(values: readonly string[]): SourceList {
    const text = values.join(' ')
    const list = known.get(text) ?? parseSourceList(values)
    known.set(text, list)
    return list
  }
  return (policy) => new Map([...parsePolicy(policy)].map(([name, values]) => [name, listOf(values)]))
}

const toDefault = (...names: string[]): readonly string[] => [...names, 'default-src']

/** The most specific first (6.8.3); evaluated code is of script-src (4.4.1). */
const fallbacks: ReadonlyMap<string, readonly string[]> = new Map(
  [
    toDefault('script-src-elem', 'script-src'),
    toDefault('script-src-attr', 'script-src'),
    toDefault('script-src'),
    toDefault('style-src-elem', 'style-src'),
    toDefault('style-src-attr', 'style-src'),
    toDefault('style-src'),
    toDefault('worker-src', 'child-src', 'script-src'),
    toDefault('frame-src', 'child-src'),
    toDefault('fenced-frame-src', 'frame-src', 'child-src'),
    toDefault('child-src'),
    toDefault('connect-src'),
    toDefault('font-src'),
    toDefault('img-src'),
    toDefault('manifest-src'),
    toDefault('media-src'),
    toDefault('object-src'),
    toDefault('prefetch-src'),
    ['default-src'],
    ['base-uri'],
    ['form-action'],
    ['frame-ancestors'],
    ['require-trusted-types-for'],
    ['trusted-types'],
  ].map((names) => [names[0] ?? '', names]),
)

export const knownDirectives: readonly string[] = [...fallbacks.keys()]

export const isKnownDirective = (directive: string): boolean => fallbacks.has(directive)

export const isScript = (directive: string): boolean => /^script-src/.test(directive)
export const isStyle = (directive: string): boolean => /^style-src/.test(directive)

export interface GoverningList<List = SourceList> {
  readonly name: string
  readonly list: List
}

export function governingList<List>(
  policy: ReadonlyMap<string, List>,
  directive: string,
): GoverningList<List> | undefined {
  for (const name of fallbacks.get(directive) ?? [directive]) {
    const list = policy.get(name)
    if (list) return { name, list }
  }
  return undefined
}

const elements = ['script-src-elem', 'style-src-elem']
const attributes = ['script-src-attr', 'style-src-attr']
const fetches = ['connect-src', 'font-src', 'frame-src', 'img-src', 'manifest-src', 'media-src', 'object-src']

/** Browsers without -elem and -attr name the directive that was written. */
const oldNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['script-src', ['script-src-elem', 'script-src-attr', 'worker-src']],
  ['style-src', ['style-src-elem', 'style-src-attr']],
  ['child-src', ['frame-src', 'worker-src']],
  ['default-src', [...elements, ...attributes, ...fetches, 'worker-src']],
])

const isOldName = (directive: string): boolean => oldNames.has(directive)

/** Part of a quoted policy that verdicts on reports of a directive depend on. */
export const decisivePart = (quoted: ParsedPolicy, directive: string): object | undefined =>
  isOldName(directive) ? quoted : governingList(quoted, directive)?.list

/** Directives of today that a report's directive can mean, for a source such as `inline` or an origin. */
export function meanings(directive: string, source: string, quoted: ParsedPolicy | undefined): readonly string[] {
  const names = oldNames.get(directive)
  if (!names) return [directive]
  if (source === 'eval' || source === 'wasm-eval') return ['script-src']
  const possible = names.filter((name) =>
    source === 'inline' ? elements.includes(name) || attributes.includes(name) : !attributes.includes(name),
  )
  const written = quoted && possible.filter((name) => governingList(quoted, name)?.name === directive)
  return written && written.length > 0 ? written : possible.length > 0 ? possible : [directive]
}
