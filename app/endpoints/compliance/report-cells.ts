/** @module Cells and tables of a report's page. */

import { type Markup, markup, untrusted } from './markup.ts'

export const words = (name: string) => name.replaceAll('_', ' ')

/** `2026-11-27 02:56 UTC`. */
export const time = (iso: string | null) => (iso === null ? '–' : `${iso.slice(0, 16).replace('T', ' ')} UTC`)

export const day = (iso: string | null) => markup`<span class="date">${iso?.slice(0, 10) ?? '–'}</span>`

export const days = (first: string | null, last: string | null) => markup`${day(first)} – ${day(last)}`

/** Characters of a URL; JSON and CSV have the full text. */
const maxAddress = 300

export const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text)

export const address = (url: string) => markup`<span class="mono">${untrusted(cut(url, maxAddress))}</span>`

export const badge = (state: string) => markup`<span class="${`badge ${state}`}">${words(state)}</span>`

/** Rows of a table, or a sentence for an empty table. @param heads with the widths of their columns, in hundredths. */
export function table(
  title: string,
  heads: Readonly<Record<string, number>>,
  rows: readonly (readonly (Markup | string)[])[],
): Markup {
  if (rows.length === 0) return markup`<h2>${title}</h2><p class="muted">None.</p>`
  return markup`<h2>${title} <span class="muted">${rows.length}</span></h2>
<table>${Object.values(heads).map((width) => markup`<col class="${`w${width}`}">`)}<thead><tr>${Object.keys(heads).map((head) => markup`<th>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table>`
}
