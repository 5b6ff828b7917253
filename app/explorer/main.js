import { reportTypes } from '/explorer/report-types.js'
import { createApi, forgetKey, readKey, targetOf, writeKey } from './api.js'
import { renderControls, renderFilters, renderKeyForm, renderViews } from './controls.js'
import { byId, field, h, option } from './dom.js'
import { openDrawer } from './drawer.js'
import { createPanel } from './panel.js'
import { readState, urlOf } from './state.js'
import { views } from './views.js'

const pollMs = 10_000

const api = createApi(({ pausedUntil, reason }) => {
  const until = new Date(pausedUntil).toISOString().slice(11, 19)
  byId('status').replaceChildren(`${reason}. Asking again at ${until} UTC.`)
})

let state = readState()
let sites = []
let panels = []

function change(changes) {
  state = { ...state, ...changes }
  history.pushState(null, '', urlOf(state))
  state = readState()
  render()
}

function dimensionPicker(place) {
  const choose = ({ target }) => change({ [place]: target.value })
  const names = reportTypes[state.type]
  return field(
    'Dimension',
    h('select', { onchange: choose }, ...names.map((name) => option(name, name, name === state[place]))),
  )
}

const context = () => ({
  api,
  state,
  openDrawer,
  dimensionPicker,
  addFilter: (name, value) => change({ filters: { ...state.filters, [name]: value } }),
  setWindow: (from, to) => change({ from, to }),
  onBadKey: (error) => askForKey(error.message),
})

function render() {
  const view = views[state.view] ?? views.reports
  if (view.site && !state.site && sites.length > 0) state.site = sites[0].id
  renderControls(state, sites, change)
  renderViews(state, change)
  renderFilters(state, change)
  document.title = `${view.label} – Explorer`
  const made = context()
  panels = view.panels.map((definition) => createPanel(definition, made))
  byId('view').className = `view ${state.view}`
  byId('view').replaceChildren(...panels.map(({ element }) => element))
  refresh()
}

function refresh() {
  for (const panel of panels) panel.refresh()
}

function poll() {
  if (document.hidden || api.isPaused() || panels.length === 0) return
  byId('status').replaceChildren()
  refresh()
}

function askForKey(message) {
  panels = []
  forgetKey()
  byId('forget').hidden = true
  renderKeyForm(message, (key) => {
    writeKey(key)
    start()
  })
}

async function start() {
  if (!readKey()) return askForKey()
  try {
    sites = await api.all(targetOf('/v1/sites', { limit: 200 }))
  } catch (error) {
    if (error.status === 401 || error.status === 403) return askForKey(error.message)
    byId('status').replaceChildren(error.message)
    setTimeout(start, pollMs)
    return
  }
  byId('forget').hidden = false
  render()
}

byId('forget').addEventListener('click', () => askForKey())
addEventListener('popstate', () => {
  state = readState()
  if (readKey()) render()
})
document.addEventListener('visibilitychange', poll)
setInterval(poll, pollMs)
start()
