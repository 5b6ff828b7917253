/** @module HTML by a tagged template that escapes every text. */

/** Markup that needs no escaping. */
export class Markup {
  readonly html: string

  constructor(html: string) {
    this.html = html
  }
}

type Content = Markup | string | number | null | readonly Content[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Characters that are not seen, or that turn the direction of others; a line break is a space. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const escapeOf = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

const escapeText = (text: string) =>
  text.replace(unseen, escapeOf).replace(/[&<>"']/g, (character) => entities[character] ?? '')

function toHtml(content: Content): string {
  if (content instanceof Markup) return content.html
  if (typeof content === 'object' && content !== null) return content.map(toHtml).join('')
  return escapeText(String(content ?? ''))
}

export const markup = (strings: TemplateStringsArray, ...contents: readonly Content[]): Markup =>
  new Markup(strings.map((text, index) => (index === 0 ? text : toHtml(contents[index - 1] ?? null) + text)).join(''))

/** Text from others, isolated from the direction of its surroundings. */
export const untrusted = (text: string | null): Markup => markup`<bdi>${text}</bdi>`
