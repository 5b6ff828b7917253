/** Bytes of a digest, by its name. */
const digestBytes: Readonly<Record<string, number>> = { sha256: 32, sha384: 48, sha512: 64 }

const written = /^\s*'?(?:(sha(?:256|384|512))[-:])?([A-Za-z0-9+/_-]{43,128})={0,2}'?\s*$/i

/** The digest of a text of so many bytes, in hexadecimal or in base64 of either alphabet; undefined where it is neither. */
function digestOf(text: string, bytes: number): Buffer | undefined {
  if (text.length === bytes * 2 && /^[\da-f]+$/i.test(text)) return Buffer.from(text, 'hex')
  if (text.length !== Math.ceil((bytes * 4) / 3)) return undefined
  return Buffer.from(text, 'base64url')
}

/**
 * A hash as the store keeps it, `sha256-<base64>`, or the same of SHA-384 and SHA-512, of however a browser writes it
 * (payloads, csp-hash). '' for no text and for text that is not a hash.
 */
export function scriptHash(text: string): string {
  const [, algorithm, value = ''] = (text.length <= 200 && written.exec(text)) || []
  const names = algorithm ? [algorithm.toLowerCase()] : Object.keys(digestBytes)
  for (const name of names) {
    const digest = digestOf(value, digestBytes[name] ?? 0)
    if (digest) return `${name}-${digest.toString('base64')}`
  }
  return ''
}
