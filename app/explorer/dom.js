/** Elements made of text alone: no value of a report is ever parsed as markup. */

/**
 * @param {string} tag
 * @param {Record<string, unknown>} props `class`, `data-…`, `aria-…` and other attributes; `on…` adds a listener
 * @param {...(Node | string | number | null | undefined | false)} children
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(toNode))
  return element
}

const toNode = (child) => (child instanceof Node ? child : document.createTextNode(String(child)))

export function option(value, label, isSelected) {
  return h('option', { value, selected: isSelected }, label)
}

/** A labelled control. */
export const field = (label, control) => h('label', {}, h('span', {}, label), control)

export const byId = (id) => document.getElementById(id)
