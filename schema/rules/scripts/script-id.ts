import { uuidV5 } from '../uuid-v5.ts'

/** UUIDv5 of `scriptUrl` in the namespace of the site (Rule 53). */
export const scriptId = (siteId: string, url: string): string => uuidV5(siteId, url)
