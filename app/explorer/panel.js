import { curlOf, targetOf } from './api.js'
import { h } from './dom.js'

/**
 * What a panel is made of.
 * @typedef {object} PanelDefinition
 * @property {string} id
 * @property {(state: object) => string} title
 * @property {(state: object) => { path: string, params: object }} request
 * @property {(body: object, context: object) => Node[]} render
 * @property {(state: object) => string} [exportTarget] of a file; lists without it are read page by page
 * @property {boolean} [isList]
 */

const copiedMs = 2_000

/** A section that reads one operation, and renders it again where it changed. */
export function createPanel(definition, context) {
  const { id, title, request, render, isList } = definition
  const { api, state } = context
  /** Moves with the window, from minute to minute. */
  const target = () => {
    const { path, params } = request(state)
    return targetOf(path, params)
  }
  const note = h('p', { class: 'note', role: 'status' })
  const content = h('div', { class: 'content', 'aria-busy': true }, h('p', { class: 'none' }, 'Reading…'))
  const copy = h('button', { type: 'button', onclick: () => copyText(curlOf(target())) }, 'Copy as curl')
  const save = isList && h('button', { type: 'button', onclick: () => exportAll() }, 'Export')
  const element = h(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    h('div', { class: 'head' }, h('h2', { id: `${id}-title` }, title(state)), h('div', { class: 'tools' }, copy, save)),
    note,
    content,
  )
  let shown

  async function copyText(text) {
    await navigator.clipboard.writeText(text)
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = 'Copy as curl'
    }, copiedMs)
  }

  async function exportAll() {
    save.disabled = true
    try {
      const file = definition.exportTarget?.(state)
      const blob = file ? await api.blob(file) : toBlob(await api.all(target(), (count) => tell(`${count} read…`)))
      download(blob, `${id}.${file ? 'csv' : 'ndjson'}`)
      tell('')
    } catch (error) {
      tell(`The export failed and nothing was saved: ${error.message}`)
    } finally {
      save.disabled = false
    }
  }

  const tell = (text) => note.replaceChildren(text)

  return {
    element,
    async refresh() {
      try {
        const body = await api.get(target())
        tell('')
        if (body === shown) return
        shown = body
        keepingFocus(content, () => content.replaceChildren(...render(body, context)))
      } catch (error) {
        tell(error.message)
        if (!shown) content.replaceChildren()
        if (error.status === 401) context.onBadKey(error)
      } finally {
        content.removeAttribute('aria-busy')
      }
    },
  }
}

/** Somebody at the keyboard stays at the same control. */
function keepingFocus(element, change) {
  const controls = () => [...element.querySelectorAll('a, button, select, input')]
  const at = controls().indexOf(document.activeElement)
  change()
  if (at >= 0) controls()[at]?.focus()
}

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
