import { z } from 'zod'
import { libraryIdentity } from '../../schema/responses/script.ts'
import type { InventoriedScript } from '../../schema/rules/scripts/assemble-script.ts'
import { activityHashes } from '../../schema/scripts.ts'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, text, uint, uuid } from '../sql/sql.ts'
import { sightingsIn } from './activity.ts'
import { type InventoryFilter, inventoriedHashes, inventoriedScripts, inventoriedUrls } from './script-inventory.ts'

const version = z
  .tuple([z.int(), z.int(), z.string(), z.int(), z.int(), z.boolean()])
  .transform(([seenTo, , hash, reportedFrom, scannedFrom, pinned]) => ({
    seenTo,
    hash,
    reportedFrom,
    scannedFrom,
    pinned,
  }))

const scriptRow: z.ZodType<InventoriedScript> = z.object({
  url: z.string(),
  firstSeenAt: rowTime.nullable(),
  lastSeenAt: rowTime.nullable(),
  lastNewHashAt: rowTime.nullable(),
  versions: z.array(version),
  hashesTruncated: z.boolean(),
})

/** One more than a read returns, if there are more. */
export function listScripts(filter: InventoryFilter): Query<InventoriedScript> {
  return { name: 'listScripts', statement: inventoriedScripts(filter), row: scriptRow }
}

const scriptUrlRow = z.object({ url: z.string() })

/** Candidates: URLs whose `scriptId` has the same first 48 bits; the caller compares the rest. */
export function findScriptUrl(filter: InventoryFilter, id: string): Query<z.infer<typeof scriptUrlRow>> {
  const namespace = text(filter.siteId.replaceAll('-', ''))
  const start = text(id.replaceAll('-', '').slice(0, 12))
  return {
    name: 'findScriptUrl',
    statement: sql`
      SELECT script_url AS url
      FROM ${inventoriedUrls(filter)}
      WHERE startsWith(lower(hex(SHA1(concat(unhex(${namespace}), script_url)))), ${start})`,
    row: scriptUrlRow,
  }
}

const scriptHashRow = z.object({ url: z.string(), hashes: z.array(z.string()) })

/** Hashes as sent by browsers, most recently seen first (Rule 54). */
export function listScriptHashes(filter: InventoryFilter, truncated: boolean): Query<z.infer<typeof scriptHashRow>> {
  const hashes = sql`
    SELECT url, reported_hash, toUnixTimestamp64Milli(max(seen_to)) AS last_at
    FROM ${sightingsIn(filter, truncated)}
    GROUP BY url, reported_hash`
  const lastSeenFirst = sql`arraySlice(arraySort(groupArray((-last_at, reported_hash))), 1, ${uint(activityHashes)})`
  return {
    name: 'listScriptHashes',
    statement: sql`
      SELECT url, arrayMap(seen -> seen.2, ${lastSeenFirst}) AS hashes
      FROM (${hashes})
      GROUP BY url`,
    row: scriptHashRow,
  }
}

const scriptHostRow = z.object({ host: z.string() })

/** Hosts of a site, `*.example.com` among them, and of the scripts that scans of its pages found. */
export const listScriptHosts = (tenantId: string, siteId: string): Query<z.infer<typeof scriptHostRow>> => ({
  name: 'listScriptHosts',
  statement: sql`
    SELECT DISTINCT host
    FROM (
      SELECT arrayJoin(hosts) AS host
      FROM sites FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND id = ${uuid(siteId)}
      UNION ALL
      SELECT domain(arrayJoin(script_urls)) AS host
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND page_id IN (
        SELECT id
        FROM monitored_pages FINAL
        WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}
      )
    )
    WHERE host != ''`,
  row: scriptHostRow,
})

const scriptIdentityRow = libraryIdentity
  .extend({ hash: z.string() })
  .transform(({ hash, ...identity }) => ({ hash, identity }))

export function listScriptIdentities(filter: InventoryFilter): Query<z.infer<typeof scriptIdentityRow>> {
  return {
    name: 'listScriptIdentities',
    statement: sql`
      SELECT id AS hash, name, release AS version, path, catalog
      FROM library_files FINAL
      WHERE id IN ${inventoriedHashes(filter)}`,
    row: scriptIdentityRow,
  }
}

const recordingTimeRow = z.object({ id: z.string(), recordedAt: rowTime })

/** Time when each decision about the site's scripts was first stored. */
export const listRecordingTimes = ({ tenantId, siteId }: SiteRef): Query<z.infer<typeof recordingTimeRow>> => ({
  name: 'listRecordingTimes',
  statement: sql`
    SELECT toString(id) AS id, min(updated_at) AS recordedAt
    FROM script_decisions_history
    WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}
    GROUP BY id`,
  row: recordingTimeRow,
})
