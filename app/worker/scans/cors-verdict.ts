import type { ScannedScript } from '../../../schema/responses/scanned-script.ts'
import { type Hop, joinedHeader } from '../fetch/hop.ts'

type Cors = NonNullable<ScannedScript['cors']>

/**
 * Origin header of a script's next request (Fetch, 2.2.5 and 4.4). It is absent while every URL so far has the page's
 * origin, and `null` once a foreign origin has redirected to another one.
 */
export function originSent(pageOrigin: string, hops: readonly Pick<Hop, 'url'>[], next: URL): string | null {
  const origins = [...hops.map(({ url }) => url.origin), next.origin]
  if (origins.every((origin) => origin === pageOrigin)) return null
  const isTainted = origins.some((origin, at) => origin !== pageOrigin && origin !== (origins[at + 1] ?? origin))
  return isTainted ? 'null' : pageOrigin
}

const maxOriginLength = 8_192

/** Whether a page may read the script's bytes: every hop that carried an Origin must allow it (Fetch, CORS check). */
export function corsVerdict(hops: readonly Hop[]): Cors | null {
  const last = hops.at(-1)
  if (!last) return null
  const checked = hops.filter((hop) => hop.originSent !== null)
  const failing = checked.find((hop) => allowedOrigin(hop) !== '*' && !namesOrigin(hop))
  const isCredentialed = checked.length > 0 && checked.every((hop) => namesOrigin(hop) && allowsCredentials(hop))
  const verdict = failing ? 'not_readable' : isCredentialed ? 'credentialed' : 'readable'
  return {
    verdict,
    allowOrigin: allowedOrigin(last)?.slice(0, maxOriginLength) ?? null,
    allowCredentials: allowsCredentials(last),
    redirected: hops.length > 1,
    failingHop: failing ? { url: failing.url.href, statusCode: failing.statusCode } : null,
    originSent: last.originSent,
    message: checked.length > 0 ? messages[verdict] : 'The script has the page’s origin, so integrity is checked',
  }
}

const allowedOrigin = (hop: Hop) => joinedHeader(hop, 'access-control-allow-origin')
const namesOrigin = (hop: Hop) => allowedOrigin(hop) === hop.originSent
const allowsCredentials = (hop: Hop) => joinedHeader(hop, 'access-control-allow-credentials') === 'true'

const messages = {
  readable: 'Integrity is checked only for a tag with crossorigin="anonymous"',
  credentialed: 'Integrity is checked only for a tag with crossorigin, with or without credentials',
  not_readable: 'Integrity cannot be checked: a response does not allow the page’s origin to read the script',
}
