/** @module The text of a policy with sources added, like the API's advice, for any choice of sources. */

import { writtenDirectives } from '../../../../schema/rules/csp/parse-policy.ts'
import type { Addition } from '../../../../schema/rules/csp/propose-policy.ts'
import { withSources } from '../../../../schema/rules/csp/propose-policy.ts'

export type ShownDirective = { name: string; isNew: boolean; values: { text: string; isAdded: boolean }[] }

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII ends at 0x7f
const ascii = /^[\u0000-\u007f]*$/

/** Characters that a value can have in a header: visible ASCII. */
const printable = /^[!-~]+$/

/** The first of repeated directives counts. Parts that a header cannot contain stay, to be shown. */
export function parsePolicy(policy: string) {
  const directives = new Map()
  for (const { name, values } of writtenDirectives(policy)) {
    if (!directives.has(name) && [name, ...values].every((text) => ascii.test(text))) directives.set(name, values)
  }
  return directives
}

/** Directives in their order, new ones last, each value with whether it was added. */
export function withAdditions(policy: string, additions: readonly Addition[]): ShownDirective[] {
  const before = parsePolicy(policy)
  return [...withSources(before, additions)].map(([name, values]) => {
    const own = before.get(name)
    return {
      name,
      isNew: own === undefined,
      values: values.map((text) => ({ text, isAdded: !own?.includes(text) })),
    }
  })
}

/** The header's value without characters that headers cannot contain. */
export const toText = (directives: readonly ShownDirective[]) =>
  directives
    .filter(({ name }) => printable.test(name))
    .map(({ name, values }) =>
      [name, ...values.map(({ text }) => text).filter((text) => printable.test(text))].join(' '),
    )
    .join('; ')

/** Parts that `toText` leaves out. */
export const unprintable = (directives: readonly ShownDirective[]) =>
  directives
    .flatMap(({ name, values }) => [name, ...values.map(({ text }) => text)])
    .filter((text) => !printable.test(text))
