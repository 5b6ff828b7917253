/** @module Style sheet of the report page, for the screen and for A4 paper. */

/** A text of CSS: every other character than letters and digits is escaped. */
const cssText = (text: string) =>
  `"${text.replace(/[^A-Za-z0-9 ]/gu, (character) => `\\${(character.codePointAt(0) ?? 0).toString(16)} `)}"`

const sheet = `
body { margin: 24px auto; max-width: 1040px; padding: 0 24px; color: #16181d; background: #fff;
  font: 13px/18px system-ui, sans-serif; }
h1 { font-size: 20px; line-height: 28px; margin: 0; } h2 { font-size: 14px; margin: 20px 0 6px; break-after: avoid; }
h3 { font-size: 13px; margin: 0; display: flex; justify-content: space-between;
  align-items: start; gap: 8px; }
p { margin: 2px 0; } .muted { color: #596170; } .mono { font: 11px/15px ui-monospace, "DejaVu Sans Mono", monospace; }
.mono, td { overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; margin: 12px 0; }
ul { list-style: none; margin: 0; padding: 0; }
.card { border: 1px solid #e4e7eb; border-radius: 8px; padding: 10px 12px; break-inside: avoid; }
.card ul { margin-top: 6px; } .card li { border-top: 1px solid #e4e7eb; padding: 4px 0; }
.date { white-space: nowrap; }
.badge { border-radius: 4px; padding: 0 6px; font-weight: 400; background: #f3f4f6; white-space: nowrap; }
.met, .authorized, .protected, .delivered { color: #1a6b46; background: #e2f5ea; }
.partial, .unreviewed { color: #855800; background: #fdf1d9; }
.not_met, .rejected, .unprotected, .dropped { color: #b3261e; background: #fdeae8; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; } thead { display: table-header-group; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid #e4e7eb; padding: 2px 8px 2px 0; }
th { color: #596170; font-weight: 600; font-size: 12px; } tr { break-inside: avoid; }
@media print { body { margin: 0; max-width: none; padding: 0; font-size: 9pt; line-height: 12pt; }
  table { font-size: 8pt; line-height: 11pt; } .mono { font-size: 7pt; line-height: 9.5pt; } th { font-size: 8pt; }
  h1 { font-size: 14pt; line-height: 18pt; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`

/** Widths of columns, in hundredths: the policy allows one style sheet and no inline styles. */
const widths = Array.from({ length: 65 }, (_, width) => `.w${width} { width: ${width}%; }`).join(' ')

/** Style with a running head, page numbers, and the hash in the footer. */
export const reportStyle = (head: string, foot: string): string => `${sheet}${widths}
@page { size: A4; margin: 18mm 14mm 16mm;
  @top-left { content: ${cssText(head)}; font: 8pt system-ui, sans-serif; color: #596170; }
  @top-right { content: "page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; color: #596170; }
  @bottom-left { content: ${cssText(foot)}; font: 7pt ui-monospace, monospace; color: #596170; } }
`
