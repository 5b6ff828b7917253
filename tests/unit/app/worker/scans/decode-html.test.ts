import { expect, test } from 'vitest'
import { decodeHtml } from '../../../../../app/worker/scans/decode-html.ts'

const utf8 = Buffer.from('ü')
const latin = Buffer.from([0xfc])
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const html = (head: string, end: Buffer) => Buffer.concat([Buffer.from(head), end])

test.each<[says: string, bytes: Buffer, contentType: string]>([
  ['its byte order mark, before its type', html('\ufeff<meta charset=koi8-r>', utf8), 'text/html; charset=koi8-r'],
  ['a byte order mark of UTF-16', utf16('\ufeffü'), 'text/html; charset=utf-8'],
  ['one of the other order', utf16('\ufeffü').swap16(), ''],
  ['its type, before its meta tag', html('<meta charset=koi8-r>', utf8), 'text/html; charset="utf-8"'],
  ['its type of UTF-16', utf16('ü'), 'text/html;charset=UTF-16LE'],
  ['its meta tag', html('<meta charset="utf-8">', utf8), 'text/html'],
  ['its meta tag of before', html(`<META content='text/html; charset=UTF-8' http-equiv=Content-Type>`, utf8), ''],
  ['its meta tag, behind a comment', html('<!-- <meta charset=koi8-r> --><meta charset=utf-8>', utf8), ''],
  ['a meta tag that names what it cannot be', html('<meta charset=utf-16>', utf8), ''],
  ['its meta tag, as nobody knows its type', html('<meta charset=utf-8>', utf8), 'text/html; charset=x-unknown'],
  ['neither', html('<p>', latin), 'text/html'],
  ['a meta tag too late to be read', html(`${'-'.repeat(1_024)}<meta charset=utf-8>`, latin), ''],
])('a page is decoded by %s', (_, bytes, contentType) => {
  expect(decodeHtml(bytes, contentType).at(-1)).toBe('ü')
})
