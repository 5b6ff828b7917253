import { FetchFailure } from '../fetch/fetch-failure.ts'
import { type Hop, joinedHeader } from '../fetch/hop.ts'

/** Texts of the challenge pages of Cloudflare, AWS WAF, Imperva, DataDome, HUMAN, Akamai, Sucuri and DDoS-Guard. */
const challengeMarks =
  /\/cdn-cgi\/challenge-platform\/|<title>Just a moment\.\.\.|awsWafCookieDomainList|\.awswaf\.com\/|_Incapsula_Resource|captcha-delivery\.com|px-captcha|\/_sec\/cp_challenge\/|sucuri_cloudproxy_js|\/\.well-known\/ddos-guard\//i

const deniedStatuses = [401, 403, 407, 429, 451]

/** Start of a document without a Content-Type. */
const htmlStart = /^[\ufeff\s]*<(!doctype|!--|[a-z])/i

const mediaTypeOf = (hop: Hop) => joinedHeader(hop, 'content-type')?.split(/[;,]/)[0]?.trim().toLowerCase() ?? ''

export const isHtml = (hop: Hop): boolean => /^(text\/html|application\/xhtml\+xml)$/.test(mediaTypeOf(hop))

/** Fault of a response; undefined for a page, including a 404 or 410 with its own headers. */
export function pageFailure(hop: Hop, text: string): FetchFailure | undefined {
  const { statusCode } = hop
  const failed = (reason: FetchFailure['reason'], what: string) =>
    new FetchFailure(reason, `${what} (status ${statusCode})`, [hop])
  const isChallenge =
    joinedHeader(hop, 'cf-mitigated')?.toLowerCase() === 'challenge' ||
    joinedHeader(hop, 'x-amzn-waf-action') !== null ||
    ((statusCode === 202 || statusCode >= 400) && challengeMarks.test(text))
  if (isChallenge) {
    return failed('bot_challenge', 'A firewall sent a challenge instead of the page: let SCAN_USER_AGENT through')
  }
  if (deniedStatuses.includes(statusCode)) return failed('access_denied', 'The server denies access to the page')
  if (statusCode >= 500) return failed('server_error', 'The server failed to send the page')
  if (statusCode >= 300 && statusCode < 400) return failed('not_html', 'The redirect has no usable Location')
  const isPage = isHtml(hop) || (mediaTypeOf(hop) === '' && htmlStart.test(text))
  return isPage ? undefined : failed('not_html', 'The response is not HTML')
}
