/** Bytes in memory within a bound, and those of one site within a quarter of it, so that no site makes others wait. */
export interface ByteQuota {
  /** False where the bound or the site's share is exceeded already; otherwise counts the bytes, over the bound too. */
  take(siteId: string, bytes: number): boolean
  release(siteId: string, bytes: number): void
  total(): number
}

const siteShare = 1 / 4

export function createByteQuota(limit: number): ByteQuota {
  const ofSites = new Map<string, number>()
  let total = 0
  return {
    take(siteId, bytes) {
      const ofSite = ofSites.get(siteId) ?? 0
      if (total > limit || ofSite > limit * siteShare) return false
      ofSites.set(siteId, ofSite + bytes)
      total += bytes
      return true
    },
    release(siteId, bytes) {
      const ofSite = (ofSites.get(siteId) ?? 0) - bytes
      if (ofSite > 0) ofSites.set(siteId, ofSite)
      else ofSites.delete(siteId)
      total -= bytes
    },
    total: () => total,
  }
}
