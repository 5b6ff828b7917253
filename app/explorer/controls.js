import { keyPattern, reportTypes } from '/explorer/schema.js'
import { byId, field, h, option } from './dom.js'
import { keepingFocus } from './focus.js'
import { time } from './format.js'
import { ranges, urlOf } from './state.js'
import { views } from './views.js'

/** The page's own controls: pickers, views and filters. Each is a change of the state. */

export function renderControls(state, sites, change) {
  const pick = (name, choices, also = {}) =>
    h(
      'select',
      { name, onchange: ({ target }) => change({ [name]: target.value, ...also }) },
      ...choices.map(([value, label]) => option(value, label, value === (state[name] ?? ''))),
    )
  const all = views[state.view]?.site ? [] : [['', 'All sites']]
  const site = pick('site', [...all, ...sites.map(({ id, name }) => [id, name])])
  const windows = Object.keys(ranges).map((range) => [range, `Last ${range}`])
  const isOwn = Boolean(state.from || state.to)
  const own = isOwn ? [['', windowText(state)]] : []
  const range = pick('range', [...own, ...windows], { from: undefined, to: undefined })
  if (isOwn) range.value = ''
  const type = pick(
    'type',
    Object.keys(reportTypes).map((name) => [name, name]),
  )
  replace('controls', [
    field('Site', site),
    field('Window', range),
    ...(state.view === 'reports' ? [field('Type', type)] : []),
  ])
}

const replace = (id, nodes) => keepingFocus(byId(id), () => byId(id).replaceChildren(...nodes))

function windowText({ range, from, to }) {
  if (!to) return `Since ${time(from)}`
  return from ? `${time(from)} to ${time(to)}` : `${range} until ${time(to)}`
}

export function renderViews(state, change) {
  const links = Object.entries(views).map(([name, { label }]) =>
    h(
      'a',
      {
        href: urlOf({ ...state, view: name }),
        'aria-current': name === state.view && 'page',
        onclick(event) {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          change({ view: name })
        },
      },
      label,
    ),
  )
  replace('views', links)
}

export function renderFilters(state, change) {
  const shown = state.view === 'reports' ? Object.entries(state.filters) : []
  const chips = shown.map(([name, value]) => {
    const { [name]: _, ...others } = state.filters
    const remove = () => change({ filters: others })
    return h('li', {}, h('button', { type: 'button', onclick: remove }, `${name}: ${value} ✕`))
  })
  replace('filters', chips)
}

/** For a tenant without sites, which has nothing to show. */
export function renderFirstSteps(tenantId) {
  const command = `security-reporting sites create --tenant ${tenantId} --name Shop --host shop.example.com`
  const steps = h(
    'section',
    { id: 'first-steps', 'aria-labelledby': 'first-steps-title' },
    h('h2', { id: 'first-steps-title' }, 'No site yet'),
    h(
      'ol',
      {},
      h('li', {}, 'Create a site with its hosts. This prints response headers:', h('pre', { tabindex: 0 }, command)),
      h('li', {}, 'Send these headers with the pages of the site: browsers then report to the collector.'),
      h('li', {}, 'Keep this page open: it shows the site’s reports when the site exists.'),
    ),
  )
  clearPage()
  byId('view').replaceChildren(steps)
}

function clearPage() {
  for (const id of ['controls', 'views', 'filters', 'status']) byId(id).replaceChildren()
}

/** Asks for a key. @param {(key: string) => void} use */
export function renderKeyForm(message, use) {
  const input = h('input', {
    name: 'key',
    type: 'password',
    autocomplete: 'off',
    required: true,
    pattern: keyPattern,
    title: 'A key such as srk_live_ and 40 letters and digits',
  })
  const form = h(
    'form',
    {
      class: 'key',
      onsubmit(event) {
        event.preventDefault()
        use(input.value)
      },
    },
    h('h2', {}, 'Your API key'),
    message && h('p', { class: 'note', role: 'alert' }, message),
    field('Key', input),
    h('button', {}, 'Look'),
    h('p', {}, 'It stays in this tab until it is closed, and is sent to this API alone.'),
  )
  clearPage()
  byId('view').replaceChildren(form)
  input.focus()
}
