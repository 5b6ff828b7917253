// @ts-check
/** @module The text of a policy with sources added, like the API's advice, for any choice of sources. */

/** @typedef {Map<string, string[]>} Directives values by the directive's name */
/** @typedef {{ addTo: string, expression: string }} Addition */
/** @typedef {{ name: string, isNew: boolean, values: { text: string, isAdded: boolean }[] }} ShownDirective */

/** Fallbacks of a directive without its own list (CSP3, 6.8.3), most specific first. */
const fallbacks = {
  'script-src-elem': ['script-src', 'default-src'],
  'script-src-attr': ['script-src', 'default-src'],
  'style-src-elem': ['style-src', 'default-src'],
  'style-src-attr': ['style-src', 'default-src'],
  'worker-src': ['child-src', 'script-src', 'default-src'],
  'frame-src': ['child-src', 'default-src'],
  'fenced-frame-src': ['frame-src', 'child-src', 'default-src'],
}

const ofDefault = [
  ...['script-src', 'style-src', 'child-src', 'connect-src', 'font-src', 'img-src', 'manifest-src', 'media-src'],
  ...['object-src', 'prefetch-src'],
]

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII ends at 0x7f
const ascii = /^[\u0000-\u007f]*$/

/** Characters that a value can have in a header: visible ASCII. */
const printable = /^[!-~]+$/

/** Parses like a browser: the first of repeated directives counts. @param {string} policy @returns {Directives} */
export function parsePolicy(policy) {
  const directives = new Map()
  for (const text of policy.split(';')) {
    const [name, ...values] = text.match(/[^\t\n\f\r ]+/g) ?? []
    if (name === undefined || !ascii.test(text) || directives.has(name.toLowerCase())) continue
    directives.set(name.toLowerCase(), values)
  }
  return directives
}

/** @param {Directives} directives @param {string} directive @returns {string | undefined} */
function governing(directives, directive) {
  const others = fallbacks[directive] ?? (ofDefault.includes(directive) ? ['default-src'] : [])
  return [directive, ...others].find((name) => directives.has(name))
}

/** The directive that a source is added to: the governing one, or a new one in place of a fallback. */
export function additionTarget(/** @type {Directives} */ directives, /** @type {string} */ directive) {
  const found = governing(directives, directive)
  if (found === undefined) return undefined
  const own = directive.replace(/-(?:elem|attr)$/, '')
  return found === directive || found === own ? found : own
}

const isUrlSource = (/** @type {string} */ value) => !value.startsWith("'") || value.toLowerCase() === "'self'"

/** Values of the list that governed; only scripts and styles have nonces, hashes and keywords. */
function inherited(/** @type {Directives} */ directives, /** @type {string} */ directive) {
  const values = directives.get(governing(directives, directive) ?? '') ?? []
  return /^(script|style)-src/.test(directive) ? values : values.filter(isUrlSource)
}

/**
 * Directives in their order, new ones last, each value with whether it was added.
 * @param {string} policy @param {readonly Addition[]} additions @returns {ShownDirective[]}
 */
export function withAdditions(policy, additions) {
  const before = parsePolicy(policy)
  const after = new Map(before)
  for (const { addTo, expression } of additions) {
    const values = after.get(addTo) ?? inherited(before, addTo)
    const open = values.filter((value) => value.toLowerCase() !== "'none'")
    after.set(addTo, open.includes(expression) ? open : [...open, expression])
  }
  return [...after].map(([name, values]) => {
    const own = before.get(name)
    return {
      name,
      isNew: own === undefined,
      values: values.map((text) => ({ text, isAdded: !own?.includes(text) })),
    }
  })
}

/** The header's value without characters that headers cannot contain. @param {readonly ShownDirective[]} directives */
export const toText = (directives) =>
  directives
    .filter(({ name }) => printable.test(name))
    .map(({ name, values }) =>
      [name, ...values.map(({ text }) => text).filter((text) => printable.test(text))].join(' '),
    )
    .join('; ')

/** Parts that `toText` leaves out. @param {readonly ShownDirective[]} directives */
export const unprintable = (directives) =>
  directives
    .flatMap(({ name, values }) => [name, ...values.map(({ text }) => text)])
    .filter((text) => !printable.test(text))
