/** @module Head and page number of each sheet of paper. */

const sheet = new CSSStyleSheet()

/** A CSS string, safe for any text. */
const quoted = (text: string) =>
  `"${text.replace(/[^\p{L}\p{N} .,:;-]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)} `)}"`

/** @returns takes it away */
export function setRunningHead(text: string): () => void {
  sheet.replaceSync(`@page {
    size: A4;
    margin: 16mm 14mm;
    @top-left { content: ${quoted(text)}; font: 8pt system-ui, sans-serif; color: #444; }
    @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; color: #444; }
  }`)
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet)
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
  }
}
