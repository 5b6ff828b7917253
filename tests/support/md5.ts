import { createHash } from 'node:crypto'

/** The first half of a text's MD5 in hexadecimal: the keys of issues and policies, and what breaks ties of volume. */
export const firstHalfOfMd5 = (text: string) => createHash('md5').update(text).digest('hex').slice(0, 16)
