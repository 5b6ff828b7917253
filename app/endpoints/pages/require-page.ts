import { type FoundPage, findMonitoredPage } from '../../../queries/pages/monitored-pages.ts'
import type { Read } from '../../../queries/sql/query.ts'
import { Problem } from '../../../schema/problems.ts'

/** Throws not_found for a page that is not the site's. */
export async function requirePage(
  read: Read,
  tenantId: string,
  { siteId, pageId }: { readonly siteId: string; readonly pageId: string },
): Promise<FoundPage> {
  const [page] = await read(findMonitoredPage(tenantId, siteId, pageId))
  if (!page) throw new Problem('not_found', 'There is no such page')
  return page
}
