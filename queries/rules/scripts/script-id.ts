import { createHash } from 'node:crypto'

/** UUIDv5 (RFC 9562) of `scriptUrl` in the namespace of the site (Rule 53). */
export function scriptId(siteId: string, url: string): string {
  const namespace = Buffer.from(siteId.replaceAll('-', ''), 'hex')
  const digest = createHash('sha1').update(namespace).update(url).digest().subarray(0, 16)
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6)
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8)
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
