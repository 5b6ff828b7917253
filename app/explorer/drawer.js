import { h } from './dom.js'

/** Every field of one item; Escape closes it and returns to the button that opened it. */
export function openDrawer(title, item) {
  const close = () => dialog.close()
  const dialog = h(
    'dialog',
    { class: 'drawer', 'aria-labelledby': 'drawer-title' },
    h('h2', { id: 'drawer-title' }, title),
    h('button', { type: 'button', onclick: close }, 'Close'),
    h(
      'dl',
      {},
      ...Object.entries(item).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, shown(value)))),
    ),
  )
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

function shown(value) {
  if (value === null) return h('span', { class: 'none' }, 'null')
  if (typeof value === 'object') return h('pre', { tabindex: 0 }, JSON.stringify(value, null, 2))
  return String(value)
}
