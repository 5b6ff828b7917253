const digestBytes: Readonly<Record<string, number>> = { sha256: 32, sha384: 48, sha512: 64 }

const written = /^\s*'?(?:(sha(?:256|384|512))[-:])?([A-Za-z0-9+/_-]{43,128})={0,2}'?\s*$/i

/** Decodes hexadecimal or base64 in either alphabet. */
function digestOf(text: string, bytes: number): Buffer | undefined {
  if (text.length === bytes * 2 && /^[\da-f]+$/i.test(text)) return Buffer.from(text, 'hex')
  if (text.length !== Math.ceil((bytes * 4) / 3)) return undefined
  return Buffer.from(text, 'base64url')
}

/** `sha256-<base64>`, `sha384-` or `sha512-`, from any form that browsers send; '' for other text. */
export function scriptHash(text: string): string {
  const [, algorithm, value = ''] = (text.length <= 200 && written.exec(text)) || []
  const names = algorithm ? [algorithm.toLowerCase()] : Object.keys(digestBytes)
  for (const name of names) {
    const digest = digestOf(value, digestBytes[name] ?? 0)
    if (digest) return `${name}-${digest.toString('base64')}`
  }
  return ''
}
