/**
 * @module Open elements of a page, only for templates and `<head>` (HTML, 13.2.6): building a whole tree of a hostile
 * page takes seconds.
 */

export interface StartedTag {
  readonly name: string
  readonly isHtml: boolean
  readonly selfClosing: boolean
  /** Attribute shadowrootmode. */
  readonly shadowRootMode: string | undefined
}

interface OpenElement {
  readonly name: string
  readonly isHtml: boolean
  readonly isInert: boolean
  hasShadowRoot: boolean
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const voidTags = words(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
)
const headTags = words('base basefont bgsound link meta noframes noscript script style template title')
const headings = words('h1 h2 h3 h4 h5 h6')
const tableParts = words('caption colgroup tbody td tfoot th thead tr')
const scopes = words('applet caption html marquee object table td template th')
/** Elements that close an open paragraph, and that an end tag of another element does not close. */
const blocks = words(
  'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp',
)
const isSpecial = (name: string) => blocks.has(name) || scopes.has(name) || tableParts.has(name) || name === 'button'

const tableScope = (name: string) => name === 'table' || name === 'template'

/** Elements that attachShadow accepts (DOM, 4.8). */
const shadowHosts = words('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span')
const reservedNames = words(
  'annotation-xml color-profile font-face font-face-format font-face-name font-face-src font-face-uri missing-glyph',
)
const isShadowHost = (name: string) => shadowHosts.has(name) || (/^[a-z].*-/.test(name) && !reservedNames.has(name))
const acceptsShadowRoot = ({ name, hasShadowRoot }: OpenElement) => isShadowHost(name) && !hasShadowRoot

/** Elements that a start tag closes if they are open within others that it does not close. */
const implied: Readonly<Record<string, readonly [closed: ReadonlySet<string>, within: ReadonlySet<string>]>> = {
  li: [words('li'), words('ol ul menu template')],
  dd: [words('dd dt'), words('dl template')],
  dt: [words('dd dt'), words('dl template')],
  option: [words('option'), words('select optgroup datalist template')],
  td: [words('td th'), words('table tr template')],
  th: [words('td th'), words('table tr template')],
  tr: [words('td th tr'), words('table tbody thead tfoot template')],
  tbody: [tableParts, words('table template')],
  thead: [tableParts, words('table template')],
  tfoot: [tableParts, words('table template')],
  button: [words('button'), scopes],
}
const paragraph = [words('p'), new Set([...scopes, 'button'])] as const

/** Open elements that are searched for a name; Chromium's tree has no more levels. */
const maxLevels = 512

/** Index of the outermost of the closed names within the nearest of the others; -1 without one. */
function findClosed(open: readonly OpenElement[], closed: ReadonlySet<string>, within: ReadonlySet<string>): number {
  let found = -1
  for (let at = open.length - 1; at >= Math.max(0, open.length - maxLevels); at--) {
    const { name } = open[at] as OpenElement
    if (closed.has(name)) found = at
    else if (within.has(name)) break
  }
  return found
}

/** Index of the innermost element of the name within SVG or MathML; -1 without one. */
function findForeign(open: readonly OpenElement[], name: string): number {
  for (let at = open.length - 1; open[at]?.isHtml === false && at > open.length - maxLevels; at--) {
    if (open[at]?.name === name) return at
  }
  return -1
}

/** Index of the element that an end tag closes; -1 if another element keeps it open. */
function findEnded(open: readonly OpenElement[], name: string): number {
  const ofTable = tableParts.has(name) || name === 'table'
  const within = ofTable ? tableScope : isSpecial(name) ? (one: string) => scopes.has(one) : isSpecial
  for (let at = open.length - 1; at >= Math.max(0, open.length - maxLevels); at--) {
    const one = (open[at] as OpenElement).name
    if (one === name) return at
    if (within(one)) return -1
  }
  return -1
}

export function createOpenElements() {
  const open: OpenElement[] = []
  const body: OpenElement = { name: 'body', isHtml: true, isInert: false, hasShadowRoot: false }
  let hasBody = false
  /** Places of open templates. */
  const templates: number[] = []
  let inertTemplates = 0

  function closeTo(length: number): void {
    while (open.length > length) if (open.pop()?.isInert) inertTemplates--
    while ((templates.at(-1) ?? -1) >= length) templates.pop()
  }

  function closeImplied(name: string): void {
    const rules = [blocks.has(name) && paragraph, implied[name]]
    for (const rule of rules) {
      if (!rule) continue
      const at = findClosed(open, ...rule)
      if (at >= 0) closeTo(at)
    }
    if (headings.has(name) && headings.has(open.at(-1)?.name ?? '')) closeTo(open.length - 1)
  }

  function start({ name, isHtml, selfClosing, shadowRootMode }: StartedTag): void {
    if (!isHtml) {
      if (!selfClosing) open.push({ name, isHtml, isInert: false, hasShadowRoot: false })
      return
    }
    if (name === 'html' || name === 'head') return
    if (open.length === 0 && !headTags.has(name)) hasBody = true
    if (name === 'body') return
    while (open.at(-1)?.isHtml === false) open.pop()
    closeImplied(name)
    if (voidTags.has(name)) return
    const parent = open.at(-1) ?? (hasBody ? body : undefined)
    const isRoot = /^(open|closed)$/i.test(shadowRootMode ?? '') && parent && acceptsShadowRoot(parent)
    if (name === 'template' && isRoot) parent.hasShadowRoot = true
    const isInert = name === 'template' && !isRoot
    if (isInert) inertTemplates++
    if (name === 'template') templates.push(open.length)
    open.push({ name, isHtml, isInert, hasShadowRoot: false })
  }

  function end(name: string): void {
    const foreign = findForeign(open, name)
    const html = () => (name === 'template' ? (templates.at(-1) ?? -1) : findEnded(open, name))
    const at = foreign >= 0 ? foreign : html()
    if (at >= 0) closeTo(at)
  }

  return {
    start,
    end,
    text(text: string): void {
      if (open.length === 0 && !hasBody) hasBody = /[^\t\n\f\r ]/.test(text)
    },
    /** Inside a template that is not a shadow root. */
    isInert: () => inertTemplates > 0,
    /** The next element is a child of `<head>`. */
    isInHead: () => open.length === 0 && !hasBody,
  }
}
