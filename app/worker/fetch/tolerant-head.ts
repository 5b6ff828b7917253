/** @module Rewrites response heads that browsers accept and Node's parser rejects. */

import { Transform } from 'node:stream'

/** RFC 9110, 5.6.2; browsers drop white space before the colon. */
const field = /^([!#$%&'*+.^_`|~\w-]+)[\t ]*:[\t ]*(.*?)[\t ]*$/
const headOf = /^(.*?)\r?\n\r?\n/s
const interim = /^HTTP\/1\.\d 1(?!01)/

/** Passes a response on. @param maxBytes of a head; the parser rejects a longer one. */
export function tolerantHead(maxBytes: number): Transform {
  let read: Buffer | undefined = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _, callback) {
      if (!read) return callback(null, chunk)
      read = Buffer.concat([read, chunk])
      for (let isInterim = true; isInterim; ) {
        const [whole = '', head = ''] = headOf.exec(read.toString('latin1')) ?? []
        if (whole === '' && read.length <= maxBytes) return callback()
        this.push(Buffer.from(rewrite(head, whole), 'latin1'))
        read = read.subarray(whole.length)
        isInterim = interim.test(head)
      }
      this.push(read)
      read = undefined
      callback()
    },
    flush: (callback) => callback(null, read),
  })
}

/** Lines that are no fields are dropped, and lengths that repeat another or that chunks replace (RFC 9112, 6.3). */
function rewrite(head: string, whole: string): string {
  if (whole === '') return ''
  // A folded line belongs to the previous line (RFC 9112, 5.2).
  const [status = '', ...lines] = head.replace(/[\t ]*\r?\n[\t ]+/g, ' ').split(/\r?\n/)
  const fields = lines.flatMap((line) => {
    const [, name = '', value = ''] = field.exec(line) ?? []
    return name === '' ? [] : [{ name: name.toLowerCase(), line: `${name}: ${value}` }]
  })
  const isCoding = ({ name }: { readonly name: string }) => name === 'transfer-encoding'
  // HTTP/1.0 has no chunks.
  const isOld = /^HTTP\/1\.0/.test(status)
  const isChunked = !isOld && fields.some((one) => isCoding(one) && /chunked$/i.test(one.line))
  const isLength = ({ name }: { readonly name: string }) => name === 'content-length'
  const sent = new Set(fields.filter(isLength).map(({ line }) => line.toLowerCase()))
  const kept = fields.filter((one) =>
    isLength(one) ? !isChunked && sent.delete(one.line.toLowerCase()) : !(isOld && isCoding(one)),
  )
  return `${[status, ...kept.map(({ line }) => line)].join('\r\n')}\r\n\r\n`
}
