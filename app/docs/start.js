// @ts-check
import { withExamples } from './examples.js'
import { searchOperations } from './search.js'

/** The explorer's name for it: one key a tab, for both pages. */
const keyName = 'security-reporting-key'
const scheme = 'apiKey'

/** Keeps the key for the life of the tab. */
const keyInTab = {
  authorize: (/** @type {Function} */ authorize) => async (/** @type {Record<string, { value: string }>} */ keys) => {
    sessionStorage.setItem(keyName, keys[scheme]?.value ?? '')
    // Examples are not applied to operations that are already open.
    ui.getSystem().specActions.updateJsonSpec(await withExamples(description, readKey()))
    return authorize(keys)
  },
  logout: (/** @type {Function} */ logout) => (/** @type {string[]} */ names) => {
    sessionStorage.removeItem(keyName)
    return logout(names)
  },
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyScheme)
applyScheme()

const search = /** @type {HTMLInputElement} */ (document.getElementById('search'))
const found = /** @type {HTMLOutputElement} */ (document.getElementById('found'))

const description = await (await fetch('/openapi.json')).json()

// @ts-expect-error: a global of swagger-ui-dist, which has no types.
const ui = SwaggerUIBundle({
  spec: await withExamples(description, readKey()),
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [
    { fn: { opsFilter: searchOperations }, statePlugins: { auth: { wrapActions: keyInTab } } },
    {
      components: { FilterContainer: () => null, ServersContainer: () => null },
      wrapComponents: { InfoContainer: foldConventions },
    },
  ],
  onComplete() {
    const key = readKey()
    if (key) ui.preauthorizeApiKey(scheme, key)
    showFound()
  },
})

/**
 * Eight chapters of conventions would be between the reader and the operations.
 * @param {unknown} Info
 * @param {{ React: { createElement: Function } }} system
 */
function foldConventions(Info, { React: { createElement } }) {
  const summary = createElement(
    'summary',
    { key: 'summary' },
    'Conventions: requests, windows, pages, filters, budgets',
  )
  return (/** @type {object} */ props) =>
    createElement('details', { className: 'conventions' }, summary, createElement(Info, props))
}

function readKey() {
  return sessionStorage.getItem(keyName) ?? ''
}

function showFound() {
  const text = search.value.trim()
  ui.getSystem().layoutActions.updateFilter(text || false)
  const operations = ui.getSystem().specSelectors.taggedOperations()
  const count = operations.reduce(
    (/** @type {number} */ sum, /** @type {any} */ tag) => sum + tag.get('operations').size,
    0,
  )
  found.value = text && (count === 0 ? 'No operation contains all of these words' : `${count} found`)
}

search.addEventListener('input', showFound)

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  search.focus()
})
