import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, texts, uuid } from '../sql/sql.ts'

const row = z.object({ url: z.string(), hash: z.string() })

/** Versions of a site's scripts with an attempt to store a copy. */
export const listCaptureAttempts = (
  tenantId: string,
  siteId: string,
  urls: readonly string[],
): Query<z.infer<typeof row>> => ({
  name: 'listCaptureAttempts',
  statement: sql`
    SELECT script_url AS url, script_hash AS hash
    FROM script_captures FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND script_url IN ${texts(urls)}`,
  row,
})
