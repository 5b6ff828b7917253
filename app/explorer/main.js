import { reportTypes } from '/explorer/schema.js'
import { createApi, forgetKey, readKey, targetOf, writeKey } from './api.js'
import { renderControls, renderFilters, renderFirstSteps, renderKeyForm, renderViews } from './controls.js'
import { byId, field, h, option } from './dom.js'
import { openDrawer } from './drawer.js'
import { focusOn } from './focus.js'
import { createPanel } from './panel.js'
import { readState, urlOf } from './state.js'
import { views } from './views.js'

const pollMs = 10_000

const api = createApi(({ pausedUntil, reason }) => {
  const until = new Date(pausedUntil).toISOString().slice(11, 19)
  byId('status').replaceChildren(`${reason}. Asking again at ${until} UTC.`)
})

const read = () => readState(Object.keys(views))

let state = read()
let sites = []
let panels = []
let shownView

function change(changes) {
  state = { ...state, ...changes }
  history.pushState(null, '', urlOf(state))
  state = read()
  render()
}

function dimensionPicker(key) {
  const choose = ({ target }) => change({ [key]: target.value })
  const names = reportTypes[state.type]
  const choices = names.map((name) => option(name, name, name === state[key]))
  return field('Dimension', h('select', { name: key, onchange: choose }, ...choices))
}

const context = {
  api,
  get state() {
    return state
  },
  openDrawer,
  dimensionPicker,
  /** Shows the reports of a value. */
  addFilter: (name, value, type = state.type) =>
    change({ view: 'reports', type, filters: { ...state.filters, [name]: value } }),
  setWindow: (from, to) => change({ from, to }),
  onBadKey: (error) => askForKey(error.message),
}

function render() {
  const view = views[state.view]
  if (view.site && !state.site) state.site = sites[0].id
  renderControls(state, sites, change)
  renderViews(state, change)
  renderFilters(state, change)
  document.title = `${view.label} – Explorer`
  if (shownView !== view) {
    shownView = view
    panels = view.panels.map((definition) => createPanel(definition, context))
    byId('view').className = `view ${state.view}`
    if (byId('view').contains(document.activeElement)) focusOn(byId('view'))
    byId('view').replaceChildren(...panels.map(({ element }) => element))
  }
  for (const panel of panels) panel.update()
}

function poll() {
  if (document.hidden || api.isPaused() || !readKey()) return
  if (!shownView) return start()
  byId('status').replaceChildren()
  for (const panel of panels) panel.refresh()
}

function clear() {
  panels = []
  shownView = undefined
}

function askForKey(message) {
  clear()
  forgetKey()
  byId('forget').hidden = true
  renderKeyForm(message, (key) => {
    writeKey(key)
    byId('view').replaceChildren()
    focusOn(byId('view'))
    start()
  })
}

async function start() {
  if (!readKey()) return askForKey()
  try {
    sites = await api.all(targetOf('/v1/sites', { limit: 200 }))
    byId('forget').hidden = false
    if (sites.length > 0) render()
    else if (!byId('first-steps')) renderFirstSteps((await api.get('/v1/me')).body.data.tenant.id)
  } catch (error) {
    if (error.status === 401 || error.status === 403) return askForKey(error.message)
    byId('status').replaceChildren(error.message)
  }
}

byId('forget').addEventListener('click', () => askForKey())
addEventListener('popstate', () => {
  state = read()
  if (shownView) render()
})
document.addEventListener('visibilitychange', poll)
setInterval(poll, pollMs)
start()
