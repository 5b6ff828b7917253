// @ts-check
/** @module Why a source must not be allowed, should be looked at first, or cannot be judged. */

/** @type {Record<string, string>} */
export const reasonTexts = {
  noise: 'Extensions, browsers or injecting products cause all of its reports',
  inline: 'Allowing inline code opens the policy; a nonce or a hash allows what is your own',
  eval: 'Allowing evaluated code opens the policy',
  wasm_eval: 'WebAssembly has a keyword of its own',
  trusted_types: 'Code writes to a sink without a trusted type; no source changes that',
  unsafe_scheme: 'A scheme of code that anyone can write',
  other_scheme: 'A scheme of extensions or apps',
  base_uri: 'A base of another host redirects every relative URL',
  embedder: 'Another site embeds the page: decide who may',
  unknown_source: 'The reports have no URL',
  no_effect: "'strict-dynamic' ignores hosts; a nonce helps",
  redirect: 'Only the URL before a redirect is known',
  quoted_policy: 'The quoted policy allows it, so another one blocked it',
  rejected_script: 'A script of it was rejected',
  rejected_source: 'An operator rejected it',
  unauthorized_script: 'No script of it is authorized',
  low_confidence: 'Few reports or browsers: it can be of one person',
  single_page: 'One page alone reports it',
  single_browser: 'One browser family alone reports it',
  new_destination: 'New, and data can go there',
  new_host: 'New in this site’s reports',
  shared_host: 'Anyone can publish on this host',
  insecure: 'Without TLS',
  ip_address: 'An address instead of a name',
  underscore_host: 'Chromium ignores a host with an underscore: only a wildcard above it matches',
  worker_blob: 'Workers run code that the page’s scripts make; bundlers need it',
  bypass: 'It serves a script that runs any other',
  old_directive: 'An old browser’s name of the directive: which list is meant is unknown',
  opens_other: 'It would allow sources that are not chosen',
  claimed_by_reports_alone:
    'Only reports name it, which anyone can send: no scan, served policy or decision confirms it',
}

/** Why a report cannot be judged. @type {Record<string, string>} */
export const unknownTexts = {
  redirect: 'redirects',
  quoted_policy: 'blocked by another policy',
  directive: 'unclear directive',
  document: 'unclear page',
  port: 'unclear port',
  path: 'unclear path',
  hash: 'hashes',
  nonce: 'nonces',
  strict_dynamic: "'strict-dynamic'",
  speculation_rules: 'speculation rules',
  trusted_types: 'trusted types',
  duplicate: 'duplicates',
  ancestor: 'ancestors of frames',
  blocked_url: 'cut URLs',
  not_assessed: 'not assessed',
}

/** Whose host it is. @type {Record<string, string>} */
export const partyTexts = {
  self: 'this page’s host',
  own: 'own host',
  same_site: 'same site',
  third: 'third party',
  none: 'scheme',
}
