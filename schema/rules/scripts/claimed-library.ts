/** @module Libraries by the URLs of public delivery networks. */

import { parseUrl } from '../../parse-url.ts'

export interface ClaimedLibrary {
  readonly name: string
  readonly version: string | null
}

interface UrlForm {
  readonly host: RegExp
  /** Pattern with the group `name`, and optionally `version`. */
  readonly path: RegExp
}

/** A file named after its library: `jquery-3.6.0.slim.min.js`. Every part is bounded, because hostile URLs are long. */
const fileForm =
  /\/(?<name>[a-z][\w.-]{0,63}?)[-.@]v?(?<version>\d{1,6}(?:\.\d{1,6}){1,3}(?:-[a-z]{1,10}[.\d]{0,8})?)(?:\.[a-z]{1,16}){0,4}\.m?js$/i

/** `name@version` or `@scope/name@version`, in npm's form. */
const npm = String.raw`(?<name>(?:@[\w.~-]+\/)?[\w.~-]+)(?:@(?<version>[^/]+))?(?:\/|$)`

const inNpm = (before: string) => new RegExp(`^${before}${npm}`)

/** `/name/version/…` */
const byFolder = (before: string) => new RegExp(`^${before}(?<name>[^/]+)/v?(?<version>\\d[^/]*)/`)

/** The first match counts. */
const networkForms: readonly UrlForm[] = [
  { host: /^cdnjs\.cloudflare\.com$/, path: byFolder('/ajax/libs/') },
  { host: /^ajax\.googleapis\.com$/, path: byFolder('/ajax/libs/') },
  { host: /^ajax\.aspnetcdn\.com$/, path: byFolder('/ajax/') },
  { host: /^ajax\.aspnetcdn\.com$/, path: fileForm },
  { host: /^(maxcdn|stackpath|netdna)\.bootstrapcdn\.com$/, path: byFolder('/') },
  { host: /^([a-z]+\.)?jsdelivr\.net$/, path: inNpm('/npm/') },
  { host: /^([a-z]+\.)?jsdelivr\.net$/, path: /^\/gh\/[^/]+\/(?<name>[^/@]+)(?:@v?(?<version>[^/]+))?\// },
  { host: /^unpkg\.com$/, path: inNpm('/') },
  { host: /^esm\.(sh|run)$/, path: /^\/(?:v\d+\/|stable\/)?gh\/[^/]+\/(?<name>[^/@]+)(?:@v?(?<version>[^/]+))?/ },
  { host: /^esm\.(sh|run)$/, path: inNpm('/(?:v\\d+/|stable/)?\\*?') },
  { host: /^cdn\.skypack\.dev$/, path: inNpm('/(?:-/)?') },
  { host: /^ga\.jspm\.io$/, path: inNpm('/npm:') },
  { host: /^code\.jquery\.com$/, path: /^\/(?<name>ui)\/(?<version>\d[^/]*)\// },
  { host: /^code\.jquery\.com$/, path: fileForm },
]

/** Any host's file can be named after its library. */
const urlForms: readonly UrlForm[] = [...networkForms, { host: /./, path: fileForm }]

/** jQuery's own host names its user interface by half a name. */
const fullNames: ReadonlyMap<string, string> = new Map([['ui', 'jquery-ui']])

export const claimedLibrary = (url: string): ClaimedLibrary | null => claim(url, urlForms)

function claim(url: string, forms: readonly UrlForm[]): ClaimedLibrary | null {
  const parsed = parseUrl(url)
  if (!parsed) return null
  const { hostname, pathname } = parsed
  const path = decoded(pathname)
  for (const form of forms) {
    const named = form.host.test(hostname) ? form.path.exec(path)?.groups : undefined
    if (!named?.name) continue
    return { name: fullNames.get(named.name) ?? named.name, version: named.version ?? null }
  }
  return null
}

/** Library in npm that a URL of a public network claims, without repositories; the version is null unless it is exact. */
export function publicClaim(url: string): ClaimedLibrary | null {
  const { name, version } = claim(url, networkForms) ?? { name: '', version: null }
  const lower = name.toLowerCase().replace(suffixed, '$1')
  const inNpm = npmNames.get(lower) ?? lower
  const isName = /^(@[a-z0-9~-][\w.~-]{0,99}\/)?[a-z0-9~-][\w.~-]{0,99}$/.test(inNpm)
  if (/^https?:\/\/[^/]*\/(.*\/)?gh\//.test(url) || !isName) return null
  return { name: inNpm, version: version !== null && isExactVersion(version) ? version : null }
}

export const npmCatalog = 'npm'

/** Names of other networks in lower case, and names that only there end with `js`. */
const npmNames: ReadonlyMap<string, string> = new Map(
  Object.entries({ jqueryui: 'jquery-ui', 'require.js': 'requirejs', 'twitter-bootstrap': 'bootstrap' }),
)
const suffixed = /^(angular|backbone|handlebars|lodash|moment|mustache|three|underscore)\.?js$/

/** False for ranges and tags. */
export const isExactVersion = (version: string): boolean => /^(\d{1,9}\.){2}\d{1,9}(-[\w.-]{1,60})?$/.test(version)

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Names under which delivery networks serve a library that npm knows by another, both comparable. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['twitterbootstrap', 'bootstrap'],
  ['jquerydist', 'jquery'],
  ['popperjscore', 'popper'],
  ['socketioclient', 'socketio'],
])

/** A name as every catalog would write it: `Lodash.js`, `lodash` and `lodash.min.js` are one. */
function comparable(name: string): string {
  const bare = name
    .toLowerCase()
    .replace(/(\.min)?\.m?js$|[-.]?js$/, '')
    .replace(/[^a-z0-9]/g, '')
  return otherNames.get(bare) ?? bare
}

/** Either name may lack its scope. */
export function isSameLibrary(one: string, other: string): boolean {
  const [a, b] = [comparable(one), comparable(other)]
  return a === b || comparable(withoutScope(one)) === b || a === comparable(withoutScope(other))
}

const withoutScope = (name: string) => name.replace(/^@[^/]*\//, '')
