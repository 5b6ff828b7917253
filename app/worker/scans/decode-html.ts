import { TextDecoder } from 'node:util'

const byteOrderMarks: readonly (readonly [bytes: string, label: string])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xfe\xff', 'utf-16be'],
  ['\xff\xfe', 'utf-16le'],
]

/** Bytes that browsers search for a charset (HTML, 13.2.3.2). */
const prescanBytes = 1024

/** Text of a page by its byte order mark, its Content-Type, then its meta tag; browsers fall back to windows-1252. */
export function decodeHtml(bytes: Buffer, contentType: string): string {
  const start = bytes.toString('latin1', 0, prescanBytes)
  const byMark = byteOrderMarks.find(([mark]) => start.startsWith(mark))?.[1]
  const byType = /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType)?.[1]
  const meta = /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start.replace(/<!--[\s\S]*?-->/g, ''))?.[1]
  // A tag that could be read is not UTF-16.
  const byMeta = meta?.replace(/^utf-?16.*/i, 'utf-8')
  const decoder = [byMark, byType, byMeta].map(decoderOf).find(Boolean) ?? new TextDecoder('windows-1252')
  return decoder.decode(bytes)
}

function decoderOf(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label)
  } catch {
    return undefined
  }
}
