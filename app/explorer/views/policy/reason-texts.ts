/** @module Reasons why a source is denied, needs review, or cannot be judged. */

export const reasonTexts: Record<string, string> = {
  noise: 'All its reports are caused by extensions, browsers or products that inject code',
  inline: 'Allowing inline code weakens the policy; use a nonce or hash for your own code',
  eval: 'Allowing evaluated code weakens the policy',
  wasm_eval: 'WebAssembly has its own keyword',
  trusted_types: 'Code writes to a sink without a trusted type; adding a source does not help',
  unsafe_scheme: 'A scheme that lets anyone provide code',
  other_scheme: 'A scheme used by extensions or apps',
  base_uri: 'A base on another host redirects every relative URL',
  embedder: 'Another site embeds the page: decide whether it may',
  unknown_source: 'The reports have no URL',
  no_effect: "'strict-dynamic' ignores hosts; a nonce helps",
  redirect: 'Only the URL before a redirect is known',
  quoted_policy: 'The quoted policy allows it, so another policy blocked it',
  rejected_script: 'A script from it was rejected',
  rejected_source: 'An operator rejected it',
  unauthorized_script: 'No script from it is authorized',
  low_confidence: 'Few reports or browsers: possibly from one person',
  single_page: 'Only one page reports it',
  single_browser: 'Only one browser family reports it',
  new_destination: 'New, and data can be sent there',
  new_host: 'New in this site’s reports',
  shared_host: 'Anyone can publish on this host',
  insecure: 'Without TLS',
  ip_address: 'An address instead of a name',
  underscore_host: 'Chromium ignores a host with an underscore: only a wildcard above it matches',
  worker_blob: 'Workers run code created by the page’s scripts; bundlers need it',
  bypass: 'It serves a script that can run any other script',
  old_directive: 'An old browser’s directive name: the directive is ambiguous',
  opens_other: 'It would allow sources that are not selected',
  claimed_by_reports_alone:
    'Only reports, which anyone can send, contain it: no scan, served policy or decision confirms it',
}

/** Reasons why a report cannot be judged. */
export const unknownTexts: Record<string, string> = {
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
  ancestor: 'frame ancestors',
  blocked_url: 'cut URLs',
  not_assessed: 'not assessed',
}

/** Owner of the host. */
export const partyTexts: Record<string, string> = {
  self: 'this page’s host',
  own: 'own host',
  same_site: 'same site',
  third: 'third party',
  none: 'scheme',
}
