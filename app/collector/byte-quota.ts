/** Bytes in memory within a limit, with a quarter of it per site, so that one site cannot delay others. */
export interface ByteQuota {
  /** True if the limit or the site's share is exceeded, which the last bytes of a post can do. */
  isFull(siteId: string): boolean
  add(siteId: string, bytes: number): void
  release(siteId: string, bytes: number): void
  total(): number
}

/** @param siteShare of one site. */
export function createByteQuota(limit: number, siteShare = 1 / 4): ByteQuota {
  const ofSites = new Map<string, number>()
  let total = 0

  function add(siteId: string, bytes: number): void {
    const ofSite = (ofSites.get(siteId) ?? 0) + bytes
    if (ofSite > 0) ofSites.set(siteId, ofSite)
    else ofSites.delete(siteId)
    total += bytes
  }

  return {
    isFull: (siteId) => total > limit || (ofSites.get(siteId) ?? 0) > limit * siteShare,
    add,
    release: (siteId, bytes) => add(siteId, -bytes),
    total: () => total,
  }
}
