/** The contract's enumerations that more than one file needs. All are open to clients (contract, Enumerations). */

export const dispositions = ['enforce', 'report'] as const

export const deviceTypes = ['desktop', 'mobile', 'tablet', 'unknown'] as const

/** Histogram bucket widths, narrowest first, in milliseconds. */
export const bucketSizes = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
} as const

export type BucketSize = keyof typeof bucketSizes

export const bucketSizeNames = Object.keys(bucketSizes) as [BucketSize, ...BucketSize[]]
