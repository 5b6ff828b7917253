const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export type ReportId = (ordinal: number, receivedAt: number) => string

/**
 * UUIDv7s (RFC 9562) that repeat when a batch is sent again: `rand_b` comes from the token and the report's ordinal.
 * `rand_a` is 0, because ClickHouse compares a UUID's second half first.
 * @param token hexadecimal, at least 32 digits.
 */
export function reportIds(token: string): ReportId {
  const word = (at: number) => Number.parseInt(token.slice(at, at + 8), 16)
  const [a, b, c, d] = [word(0), word(8), word(16), word(24)]
  let lastTime = -1
  let firstHalf = ''
  return (ordinal, receivedAt) => {
    if (receivedAt !== lastTime) {
      firstHalf = `${hex16(receivedAt / 2 ** 32)}${hex16(receivedAt / 2 ** 16)}-${hex16(receivedAt)}-7000-`
      lastTime = receivedAt
    }
    const high = ((mixed((ordinal + a) >>> 0) ^ b) & 0x3fff_ffff) | 0x8000_0000
    const low = mixed((mixed((ordinal ^ c) >>> 0) + d) >>> 0)
    return `${firstHalf}${hex16(high >>> 16)}-${hex16(high)}${hex16(low >>> 16)}${hex16(low)}`
  }
}

/** Lowest 16 bits of a number's integer part, up to 2^53. */
function hex16(word: number): string {
  return `${hexOfByte[(word >>> 8) & 0xff]}${hexOfByte[word & 0xff]}`
}

/** MurmurHash3's finalizer: a permutation of the 32-bit integers. */
function mixed(word: number): number {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35)
  return (h ^ (h >>> 16)) >>> 0
}
