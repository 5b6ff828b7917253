/** Writes a whole number from 0 to 2^31 as ClickHouse's binary formats write lengths, and returns the offset behind it. */
export function writeVarint(value: number, into: Buffer, offset: number): number {
  let at = offset
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) into[at++] = (rest & 0x7f) | 0x80
  into[at++] = rest
  return at
}

/** How many bytes that takes. */
export function varintBytes(value: number): number {
  if (value < 1 << 7) return 1
  if (value < 1 << 14) return 2
  if (value < 1 << 21) return 3
  return value < 1 << 28 ? 4 : 5
}
