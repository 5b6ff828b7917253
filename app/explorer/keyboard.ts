import { focusOn } from './focus.ts'

/** Keys of the page, in the order of its help. */
export const keys = [
  ['/', 'Add a filter'],
  ['j, k', 'Next and previous row'],
  ['Enter', 'Open the row, or filter by its value'],
  ['x', 'Filter by the row’s value'],
  ['n', 'Exclude the row’s value'],
  ['g o, g r', 'Overview, reports'],
  ['g i, g p, g a', 'Issues, policy, alerts'],
  ['g s, g m, g d', 'Scripts, monitored pages, PCI DSS'],
  ['g u', 'Setup'],
  ['↑, ↓', 'Move in menus and filter values'],
  ['?', 'This list'],
  ['Escape', 'Close'],
]

/** Views by the key after g. */
const viewKeys: Readonly<Record<string, string>> = {
  o: 'overview',
  r: 'reports',
  i: 'issues',
  p: 'policy',
  a: 'alerts',
  s: 'scripts',
  m: 'pages',
  d: 'pci',
  u: 'setup',
}

const isTyping = (element: any) =>
  element.matches('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]')

/** The next row of the list that has the focus, or the first of the view. */
function move(step: number) {
  const current = document.activeElement?.closest('[data-row]')
  const list = current?.closest('[data-rows]') ?? document.querySelector('#view [data-rows]:has([data-row])')
  const rows = [...(list?.querySelectorAll('[data-row]') ?? [])]
  const at = current ? rows.indexOf(current) + step : 0
  const row = rows[Math.max(0, Math.min(at, rows.length - 1))]
  if (row) focusOn(row)
}

/** Presses a control of the row that has the focus. */
const press = (selector: string) =>
  document.activeElement?.closest('[data-row]')?.querySelector<HTMLElement>(selector)?.click()

export function watchKeys(commands: { filter: () => void; help: () => void; view: (name: string) => void }) {
  let before = ''
  document.addEventListener('keydown', (event) => {
    const element = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(element) || element.closest('dialog, [popup]'))
      return
    const view = before === 'g' && viewKeys[event.key]
    before = event.key
    const run = view
      ? () => commands.view(view)
      : {
          '/': commands.filter,
          '?': commands.help,
          j: () => move(1),
          k: () => move(-1),
          x: () => press('[data-only]'),
          n: () => press('[data-not]'),
        }[event.key]
    if (!run) return
    event.preventDefault()
    run()
  })
}
