/** @module Which sources are known: by scans of the site's pages, by policies that these were served, or by an operator. */

import type { CspKnownBy } from '../../csp-verdicts.ts'
import type { CspPolicy } from '../../responses/csp-policy.ts'
import { governingList, parsePolicyLists } from './governing-directive.ts'
import { type BlockedUrl, matchUrl } from './match-url.ts'
import type { ObservedRequest } from './observed-request.ts'

/** Loaded by markup, or sent to: an origin, or the scheme of data. */
export interface ReferredSource {
  readonly directive: string
  readonly source: string
}

export interface DecidedSource extends ReferredSource {
  readonly status: 'accepted' | 'rejected'
}

export interface ServedPolicy extends Pick<CspPolicy, 'disposition'> {
  readonly text: string
}

export interface KnownSources {
  /** Policies of the latest scan first, report-only before enforced. */
  readonly served: readonly ServedPolicy[]
  readonly referred: readonly ReferredSource[]
  readonly decided: readonly DecidedSource[]
}

/** Browsers without -elem and -attr report the shorter name. */
const keyOf = ({ directive, source }: ReferredSource) => `${directive.replace(/-(?:elem|attr)$/, '')} ${source}`

interface Found extends ReferredSource {
  readonly url: BlockedUrl | undefined
}

/** A page without reports. */
const ofPage: ObservedRequest = {
  directive: '',
  source: '',
  self: 'other',
  pageScheme: 'https',
  detail: undefined,
  isDetailCut: false,
}

export function createKnownSources({ served, referred, decided }: KnownSources) {
  const referredKeys = new Set(referred.map(keyOf))
  const statusOf = new Map(decided.map((one) => [keyOf(one), one.status]))
  const policies = served.map(({ text }) => parsePolicyLists(text))
  // An expression for any host, or for any host of a scheme, identifies none.
  const isServed = ({ directive, url }: Found) =>
    url !== undefined &&
    policies.some((lists) =>
      governingList(lists, directive)?.list.urls.some(
        (one) => one.kind === 'host' && one.host !== '*' && matchUrl(one, url, ofPage) === true,
      ),
    )
  function knownBy(found: Found): CspKnownBy[] {
    const by: readonly (readonly [CspKnownBy, boolean])[] = [
      ['scan', referredKeys.has(keyOf(found))],
      ['policy', isServed(found)],
      ['operator', statusOf.get(keyOf(found)) === 'accepted'],
    ]
    return by.flatMap(([name, is]) => (is ? [name] : []))
  }
  return {
    knownBy,
    isKnown: (found: Found) => knownBy(found).length > 0,
    isRejected: (found: ReferredSource) => statusOf.get(keyOf(found)) === 'rejected',
    /** Sources in the form of reports. */
    sources: [...new Set([...decided, ...referred].map(({ source }) => source).concat(policies.flatMap(originsOf)))],
  }
}

/** Origins of a policy's hosts. */
function originsOf(lists: ReturnType<typeof parsePolicyLists>): string[] {
  const urls = [...lists.values()].flatMap((list) => list.urls)
  return urls.flatMap((one) => {
    if (one.kind !== 'host' || one.host.startsWith('*') || one.port === '*') return []
    const port = one.port === undefined ? '' : `:${one.port}`
    return [`${one.scheme ?? 'https'}://${one.host}${port}`.replace(/^(https:.*):443$|^(http:.*):80$/, '$1$2')]
  })
}
