import { h } from './dom.js'
import { time } from './format.js'

/**
 * A table that becomes cards on a narrow screen: each cell has its column's label.
 * @param {{ label: string, of: (row: object) => Node | string | (Node | string)[], numeric?: boolean }[]} columns
 * @param {string} caption for people who do not see the panel's heading beside it
 */
export function table(caption, columns, rows) {
  if (rows.length === 0) return h('p', { class: 'none' }, 'Nothing in this window.')
  const head = columns.map(({ label, numeric }) => h('th', { scope: 'col', class: numeric && 'numeric' }, label))
  const body = rows.map((row) =>
    h(
      'tr',
      {},
      ...columns.map(({ label, of, numeric }) =>
        h('td', { 'data-label': label, class: numeric && 'numeric' }, ...[of(row)].flat()),
      ),
    ),
  )
  return h(
    'table',
    {},
    h('caption', { class: 'unseen' }, caption),
    h('thead', {}, h('tr', {}, ...head)),
    h('tbody', {}, ...body),
  )
}

/** Names and values side by side. */
export const facts = (pairs) =>
  h('dl', { class: 'facts' }, ...pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))

/** Opens the drawer with every field of an item. */
export function detailsButton(context, key, title, item, label = 'Show') {
  const open = () => context.openDrawer(title, item)
  return h('button', { type: 'button', class: 'value', 'data-key': key, onclick: open }, label)
}

/** The API counts groups within the window of the request, and knows none of their earlier reports. */
export const seenInWindow = [
  { label: 'First seen in this window', of: ({ firstSeen }) => time(firstSeen) },
  { label: 'Last seen in this window', of: ({ lastSeen }) => time(lastSeen) },
]

/** A value that filters by itself when it is pressed. @param type of the reports, where it is not the view's */
export function filterButton(context, name, value, label = value, type = undefined) {
  if (!value) return label || '–'
  const title = `Only ${name} ${value}`
  return h(
    'button',
    { type: 'button', class: 'value', title, onclick: () => context.addFilter(name, value, type) },
    label,
  )
}
