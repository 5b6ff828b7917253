import { html } from '../html.ts'
import type { useList } from '../use-read.ts'

export interface Column {
  label: string
  of: (row: any) => any
  /** Figures at the right */
  numeric?: boolean | undefined
  /** Width of the column, such as `8rem` or `30%` */
  width?: string | undefined
  /** Hidden if the card is narrower than 1,000 px */
  isMinor?: boolean | undefined
  /** Needs no label if each row is a card */
  isPlain?: boolean | undefined
  /** Title of the head */
  title?: string | undefined
}

/**
 * Rows that the keyboard moves through; cells are truncated at three lines, with the full text in their title. The
 * column with `data-focus` represents the row: a link opens it, a `Value` with `isRow` filters by it. On a narrow
 * screen each row is a card, whose cells have their column's label.
 */
export const Table = ({
  caption,
  columns,
  rows,
  keyOf,
  isWide = false,
}: {
  caption: string
  columns: Column[]
  rows: any[]
  keyOf: (row: any) => string
  isWide?: boolean
}) =>
  html`<table class=${isWide ? 'wide' : ''}>
    <caption class="unseen">${caption}</caption>
    <colgroup>${columns.map(({ label, width, isMinor }) => html`<col key=${label} class=${isMinor ? 'minor' : ''} style=${width ? { width } : undefined} />`)}</colgroup>
    <thead>
      <tr>${columns.map(({ label, numeric, isMinor, title }) => html`<th key=${label} scope="col" title=${title} class=${classOf({ numeric, isMinor })}>${label}</th>`)}</tr>
    </thead>
    <tbody data-rows>
      ${rows.map(
        (row) => html`<tr key=${keyOf(row)} data-row data-key=${keyOf(row)}>
          ${columns.map(
            ({ label, of, ...column }) =>
              html`<td key=${label} data-label=${label} class=${classOf(column)}><div class="cell" onMouseEnter=${showWhole}>${of(row)}</div></td>`,
          )}
        </tr>`,
      )}
    </tbody>
  </table>`

const classOf = ({ numeric = false, isMinor = false, isPlain = false }) =>
  [numeric && 'numeric', isMinor && 'minor', isPlain && 'plain-cell'].filter(Boolean).join(' ')

/** Shows the full text of a truncated cell in its title. */
function showWhole({ currentTarget: cell }: any) {
  if (cell.scrollHeight > cell.clientHeight + 1) cell.title = cell.textContent.trim()
}

/** Foot of a list: how many of how many, and the next page. */
export function ListFoot({
  list,
  total,
  number,
}: {
  list: ReturnType<typeof useList>
  total?: number
  number: (count: number) => string
}) {
  const { rows, hasMore, more, isFrozen, restart, moreError } = list
  const of = total ?? (hasMore ? undefined : rows.length)
  const count =
    of === undefined
      ? `the first ${number(rows.length)}`
      : `${number(rows.length)} of ${number(Math.max(of, rows.length))}`
  return html`<span class="muted count">${of === 0 ? '' : count}</span>
    ${moreError && html`<span class="bad" role="alert">${moreError.message}</span>`}
    ${isFrozen && html`<button type="button" class="control" onClick=${restart}>Show newest</button>`}
    ${hasMore && html`<button type="button" class="control" onClick=${more}>Show more</button>`}`
}

/** Names and values. */
export const Facts = ({ pairs }: { pairs: [string, any][] }) =>
  html`<dl class="facts">${pairs.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
