/**
 * @module Scripts that a browser would run, policies, and referenced origins in a page's markup. It is
 * read as a stream: building a tree of a hostile page takes seconds.
 */

import { finished } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { SAXParser, type StartTag } from 'parse5-sax-parser'
import { parseUrl } from '../../../schema/parse-url.ts'
import { truncate } from '../../import/normalise/truncate.ts'
import { FetchFailure } from '../fetch/fetch-failure.ts'
import { createInlineScripts, type InlineScript } from './inline-scripts.ts'
import { createOpenElements } from './open-elements.ts'
import { createReferredSources, type ReferredSources } from './referred-sources.ts'

export interface ScriptTag {
  /** Value of the attribute, up to 65,536 characters. */
  readonly src: string
  /** URL resolved against the page; undefined if it is not http or https. */
  readonly url: URL | undefined
  readonly integrity: string | null
}

export interface PageMarkup {
  /** Scripts in document order, with repeats. */
  readonly scripts: readonly ScriptTag[]
  readonly inlineScripts: readonly InlineScript[]
  /** Policies in `<meta>` in the head. */
  readonly policies: readonly string[]
  readonly sources: ReturnType<ReferredSources['list']>
}

export const noMarkup: PageMarkup = { scripts: [], inlineScripts: [], policies: [], sources: [] }

/** Limits of a scan's record: tags, a text, a URL, and all of them together. */
const [maxTags, maxTextLength, maxUrlLength, maxListLength] = [10_000, 65_536, 8_192, 2 * 1024 * 1024]

/** More than real pages have; each costs the parser more than the previous one. */
const [maxAttributes, maxNamespaces] = [5_000, 500]

const tooLarge = `A scan is limited to ${maxTags} scripts, 2 MB of their URLs and samples, ${maxNamespaces} levels of SVG and ${maxAttributes} attributes`

/** Characters parsed before other work of this process gets its turn. */
const sliceLength = 65_536

/** Private in TypeScript, but the only source of SVG state and unfinished tags. */
interface ParserState {
  readonly parserFeedbackSimulator: { readonly namespaceStack: readonly string[] }
  readonly tokenizer: { readonly currentToken: { readonly attrs?: StartTag['attrs'] } | null }
}

/** Documents of `srcdoc` within each other. */
const maxFrameDepth = 3

const tooDeep = `A scan reads scripts in srcdoc frames up to ${maxFrameDepth} levels deep`

/** Bounds of a page with its frames. */
interface Reading {
  readonly end: number
  readonly parseMs: number
  tags: number
  listLength: number
  readonly inline: ReturnType<typeof createInlineScripts>
  readonly policies: string[]
  readonly referred: ReferredSources
}

/** Throws FetchFailure for a list above a scan's limits, and after `parseMs`. */
export async function readMarkup(text: string, page: URL, parseMs: number): Promise<PageMarkup> {
  const reading = {
    end: performance.now() + parseMs,
    parseMs,
    tags: 0,
    listLength: 0,
    inline: createInlineScripts(),
    policies: [],
    referred: createReferredSources(),
  }
  const scripts = await documentScripts(text, page, 0, reading)
  return {
    scripts,
    inlineScripts: reading.inline.list(),
    policies: reading.policies,
    sources: reading.referred.list(),
  }
}

/** @param page resolves URLs if there is no `<base>`. */
async function documentScripts(text: string, page: URL, depth: number, reading: Reading): Promise<ScriptTag[]> {
  const parser = new SAXParser()
  const { parserFeedbackSimulator, tokenizer } = parser as unknown as ParserState
  const namespaces = parserFeedbackSimulator.namespaceStack
  const elements = createOpenElements()
  const scripts: ScriptTag[] = []
  const frames: { readonly at: number; readonly srcdoc: string; readonly base: URL }[] = []
  let base: URL | undefined
  parser.on('startTag', ({ tagName, attrs, selfClosing }) => {
    const isHtml = namespaces[0] === 'http://www.w3.org/1999/xhtml'
    const shadowRootMode = attribute(attrs, 'shadowrootmode')
    elements.start({ name: tagName, isHtml, selfClosing, shadowRootMode })
    if (elements.isInert()) return
    if (isHtml && tagName !== 'script') reading.referred.addElement(tagName, attrs, base ?? page)
    if (tagName === 'meta' && isHtml && depth === 0 && elements.isInHead()) {
      const isPolicy = attribute(attrs, 'http-equiv')?.toLowerCase() === 'content-security-policy'
      if (isPolicy) reading.policies.push(attribute(attrs, 'content') ?? '')
    } else if (tagName === 'base' && isHtml) base ??= baseOf(attribute(attrs, 'href'), page)
    else if (tagName === 'iframe' && isHtml && runsScripts(attrs)) {
      const srcdoc = attribute(attrs, 'srcdoc')
      if (srcdoc !== undefined) frames.push({ at: scripts.length, srcdoc, base: base ?? page })
    } else if (tagName === 'script' && namespaces[0] !== 'http://www.w3.org/1998/Math/MathML' && isRun(attrs, isHtml)) {
      const src = isHtml ? attribute(attrs, 'src') : (attribute(attrs, 'href') ?? attribute(attrs, 'href', 'xlink'))
      if (src === undefined && !selfClosing) reading.inline.start()
      if (src === undefined || isFull()) return
      reading.referred.add('script-src-elem', src, base ?? page)
      const tag = scriptTag(src, attribute(attrs, 'integrity'), base ?? page)
      reading.listLength += tag.src.length + (tag.integrity?.length ?? 0) + 2 * (tag.url?.href.length ?? 0)
      reading.tags++
      scripts.push(tag)
    }
  })
  parser.on('endTag', ({ tagName }) => {
    elements.end(tagName)
    if (tagName !== 'script' || isFull()) return
    const length = reading.inline.end()
    reading.listLength += length
    if (length > 0) reading.tags++
  })
  parser.on('text', ({ text }) => {
    elements.text(text)
    reading.inline.text(text)
  })
  const isFull = () => reading.tags > maxTags || reading.listLength > maxListLength
  const isOdd = () => namespaces.length > maxNamespaces || (tokenizer.currentToken?.attrs?.length ?? 0) > maxAttributes
  parser.resume()
  for (let at = 0; at < text.length; at += sliceLength) {
    parser.write(text.slice(at, at + sliceLength))
    if (isFull() || isOdd()) throw new FetchFailure('too_large', tooLarge)
    await setImmediate()
    if (performance.now() > reading.end) {
      throw new FetchFailure('timeout', `The page was not parsed in ${reading.parseMs / 1000} s`)
    }
  }
  parser.end()
  await finished(parser)
  reading.inline.reset()
  // Processed from the last, so that earlier positions remain valid.
  for (const { at, srcdoc, base } of frames.reverse()) {
    if (depth < maxFrameDepth) scripts.splice(at, 0, ...(await documentScripts(srcdoc, base, depth + 1, reading)))
    else if (/script/i.test(srcdoc)) throw new FetchFailure('too_large', tooDeep)
  }
  return scripts
}

/** A frame whose sandbox does not allow scripts runs none (HTML, 7.1.5). */
const runsScripts = (attrs: StartTag['attrs']): boolean =>
  /(^|[\t\n\f\r ])allow-scripts([\t\n\f\r ]|$)/i.test(attribute(attrs, 'sandbox') ?? 'allow-scripts')

/** With any other scheme, the base is the page itself. */
function baseOf(href: string | undefined, page: URL): URL | undefined {
  if (href === undefined) return undefined
  const base = parseUrl(href.trim(), page.href)
  return base && !/^(data|javascript):$/.test(base.protocol) ? base : page
}

function scriptTag(src: string, integrity: string | undefined, base: URL): ScriptTag {
  const url = src.trim() === '' ? undefined : parseUrl(src.trim(), base.href)
  const isUsable = url && /^https?:$/.test(url.protocol) && url.href.length <= maxUrlLength
  if (isUsable) url.hash = ''
  return {
    src: truncate(src, maxTextLength),
    url: isUsable ? url : undefined,
    integrity: integrity === undefined ? null : truncate(integrity, maxTextLength),
  }
}

const attribute = (attrs: StartTag['attrs'], name: string, prefix = '') =>
  attrs.find((attr) => attr.name === name && (attr.prefix ?? '') === prefix)?.value

/** WHATWG MIME Sniffing, 4.6. */
const javaScriptType =
  /^(application\/(x-)?(java|ecma)script|text\/((x-)?(java|ecma)script|javascript1\.[0-5]|jscript|livescript))$/

/** HTML, 4.12.1.1, "prepare the script element"; `nomodule` counts, because old browsers run it; so do import maps. */
function isRun(attrs: StartTag['attrs'], isHtml: boolean): boolean {
  const language = attribute(attrs, 'language')
  const type = attribute(attrs, 'type') ?? (language ? `text/${language}` : '')
  const mime = type.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase()
  if (mime === 'module' || (mime === 'importmap' && isHtml && attribute(attrs, 'src') === undefined)) return true
  const [target, event] = [attribute(attrs, 'for'), attribute(attrs, 'event')]
  const isOfOtherEvent = !/^\s*window\s*$/i.test(target ?? '') || !/^\s*onload(\(\))?\s*$/i.test(event ?? '')
  if (isHtml && target !== undefined && event !== undefined && isOfOtherEvent) return false
  return type === '' || javaScriptType.test(mime)
}
