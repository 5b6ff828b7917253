/** @module Origins that a page's markup loads from or sends to, by the directive that governs it. */

import type { StartTag } from 'parse5-sax-parser'
import { parseUrl } from '../../../schema/parse-url.ts'
import type { ReferredSource } from '../../../schema/rules/csp/known-sources.ts'

const maxSources = 1_000

/** Attributes and their directives, by tag. */
const referring: ReadonlyMap<string, readonly (readonly [attribute: string, directive: string])[]> = new Map([
  ['audio', [['src', 'media-src']]],
  ['button', [['formaction', 'form-action']]],
  ['embed', [['src', 'object-src']]],
  ['form', [['action', 'form-action']]],
  ['frame', [['src', 'frame-src']]],
  ['iframe', [['src', 'frame-src']]],
  [
    'img',
    [
      ['src', 'img-src'],
      ['srcset', 'img-src'],
    ],
  ],
  [
    'input',
    [
      ['src', 'img-src'],
      ['formaction', 'form-action'],
    ],
  ],
  ['object', [['data', 'object-src']]],
  [
    'source',
    [
      ['src', 'media-src'],
      ['srcset', 'img-src'],
    ],
  ],
  [
    'video',
    [
      ['src', 'media-src'],
      ['poster', 'img-src'],
    ],
  ],
])

/** Directives by a word of a link's rel. */
const ofLinks = new Map([
  ['stylesheet', 'style-src-elem'],
  ['icon', 'img-src'],
  ['manifest', 'manifest-src'],
])

export type ReferredSources = ReturnType<typeof createReferredSources>

export function createReferredSources() {
  const found = new Map<string, ReferredSource>()
  function add(directive: string, written: string, base: URL): void {
    const source = sourceOf(parseUrl(written.trim(), base.href))
    if (source && written.trim() !== '' && found.size < maxSources)
      found.set(`${directive} ${source}`, { directive, source })
  }
  return {
    add,
    /** Adds what an element refers to; scripts are added by `add`. */
    addElement(tagName: string, attrs: StartTag['attrs'], base: URL): void {
      const valueFor = (name: string) => attrs.find((attr) => attr.name === name)?.value ?? ''
      const words = tagName === 'link' ? valueFor('rel').toLowerCase().split(/\s+/) : []
      for (const word of words) add(ofLinks.get(word) ?? '', ofLinks.has(word) ? valueFor('href') : '', base)
      for (const [name, directive] of referring.get(tagName) ?? []) {
        const written = valueFor(name)
        const urls = name === 'srcset' ? written.split(/,\s/).map((one) => one.trim().split(/\s/)[0] ?? '') : [written]
        for (const url of urls) add(directive, url, base)
      }
    },
    list: (): ReferredSource[] => [...found.values()],
  }
}

/** Source in the form of reports: an origin, or the scheme of data. */
function sourceOf(url: URL | undefined): string | undefined {
  if (url?.protocol === 'data:') return 'data'
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined
}
