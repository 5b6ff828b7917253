import { curlOf, targetOf } from './api.js'
import { h } from './dom.js'
import { keepingFocus } from './focus.js'
import { createPaging } from './paging.js'

/**
 * What a panel is made of.
 * @typedef {object} PanelDefinition
 * @property {string} id
 * @property {(state: object) => string} title
 * @property {(state: object) => { path: string, params: object }} request
 * @property {(state: object) => { path: string, params: object }} [countRequest] of all rows of a list
 * @property {(body: object, context: object, params: object) => Node[]} render
 * @property {(context: object) => Node} [control] beside the title
 * @property {{ step: number, totalOf?: (body: object) => number, mostRows?: number }} [list]
 * @property {boolean} [isExported]
 * @property {(state: object) => string} [exportTarget] of a file; lists without it are read page by page
 */

const copiedMs = 2_000

/** A section that reads one operation, and renders it again when it changed. */
export function createPanel(definition, context) {
  const { id, title, request, countRequest, render, control, isExported } = definition
  const { api } = context
  const paging = definition.list && createPaging(definition.list, api)
  const target = () => toTarget(request(context.state))
  const heading = h('h2', { id: `${id}-title` })
  const chosen = control && h('div', {})
  const note = h('p', { class: 'note', role: 'status' })
  const content = h('div', { class: 'content' })
  const copy = h('button', { type: 'button', onclick: () => copyText(curlOf(target())) }, 'Copy as curl')
  const save = isExported && h('button', { type: 'button', onclick: () => exportAll() }, 'Export')
  const element = h(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    h('div', { class: 'head' }, heading, chosen, h('div', { class: 'tools' }, copy, save)),
    note,
    content,
  )
  /** Of the latest request: a response to an earlier one is dropped. */
  let requested
  /** What the content was rendered from. */
  let shown = []

  async function copyText(text) {
    await navigator.clipboard.writeText(text)
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = 'Copy as curl'
    }, copiedMs)
  }

  const announce = (text) => note.replaceChildren(text)

  /** A disabled button would lose the focus. */
  async function once(button, run) {
    if (button.ariaDisabled === 'true') return
    button.ariaDisabled = 'true'
    await run().finally(() => {
      button.ariaDisabled = null
    })
  }

  const exportAll = () =>
    once(save, async () => {
      try {
        const file = definition.exportTarget?.(context.state)
        const blob = file
          ? await api.blob(file)
          : toBlob(await api.all(target(), (count) => announce(`${count} read…`)))
        download(blob, `${id}.${file ? 'csv' : 'ndjson'}`)
        announce('')
      } catch (error) {
        announce(`The export failed and nothing was saved: ${error.message}`)
      }
    })

  const more = h('button', { type: 'button', onclick: () => once(more, showMore) }, 'Show more')

  async function showMore() {
    if (shown.length === 0) return
    try {
      await paging.more()
      renderContent()
    } catch (error) {
      announce(error.message)
    }
  }

  function showNewest() {
    paging.restart()
    shown = []
    refresh()
  }

  function renderContent() {
    const [page, , params] = shown
    const nodes = () => {
      if (!paging) return render(page.body, context, params)
      const newest = paging.isFrozen() && h('button', { type: 'button', onclick: showNewest }, 'Show the newest')
      const count = h('p', { class: 'count' }, paging.text(), paging.hasMore() && more, newest)
      return [...render(paging.body(), context, params), page.body.data.length > 0 ? count : '']
    }
    keepingFocus(content, () => content.replaceChildren(...nodes()))
  }

  async function refresh() {
    if (paging?.isFrozen()) return
    const { path, params } = request(context.state)
    const current = targetOf(path, params)
    requested = current
    try {
      const count = countRequest && api.get(toTarget(countRequest(context.state)))
      const [page, counted] = await Promise.all([api.get(current), count])
      if (requested !== current || paging?.isFrozen()) return
      announce('')
      if (page === shown[0] && counted === shown[1]) return
      shown = [page, counted, params]
      paging?.start(page, counted?.body.data.reportCount)
      renderContent()
    } catch (error) {
      if (requested !== current) return
      announce(error.message)
      if (shown.length === 0) content.replaceChildren()
      if (error.status === 401) context.onBadKey(error)
    } finally {
      if (requested === current) content.removeAttribute('aria-busy')
    }
  }

  return {
    element,
    refresh,
    /** The state changed: what was read before stays until the response. */
    update() {
      paging?.restart()
      shown = []
      heading.replaceChildren(title(context.state))
      if (control) keepingFocus(chosen, () => chosen.replaceChildren(control(context)))
      content.ariaBusy = 'true'
      if (!content.hasChildNodes()) content.append(h('p', { class: 'none' }, 'Reading…'))
      return refresh()
    },
  }
}

const toTarget = ({ path, params }) => targetOf(path, params)

const toBlob = (items) =>
  new Blob(
    items.map((item) => `${JSON.stringify(item)}\n`),
    { type: 'application/x-ndjson' },
  )

function download(blob, name) {
  const url = URL.createObjectURL(blob)
  h('a', { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
