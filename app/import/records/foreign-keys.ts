import type { Database } from '../../../queries/clickhouse/database.ts'
import { listPageSites } from '../../../queries/pages/monitored-pages.ts'
import { listSites } from '../../../queries/tenants/sites.ts'
import { type LineError, reject } from '../ndjson/line-error.ts'
import type { ReadRecord } from './read-record.ts'
import type { ForeignEntity, RecordType } from './record-type.ts'

/** Site ids by the ids of a tenant's entities. */
type SiteById = ReadonlyMap<string, string>

type ListEntities = (database: Pick<Database, 'read'>, tenantId: string) => Promise<SiteById>

const listEntities: Readonly<Record<ForeignEntity, ListEntities>> = {
  site: async (database, tenantId) => new Map((await database.read(listSites(tenantId))).map(({ id }) => [id, id])),
  page: async (database, tenantId) =>
    new Map((await database.read(listPageSites(tenantId))).map(({ id, siteId }) => [id, siteId])),
}

/** Line error of a record that refers to another tenant's entity, or to another site's. */
export type ForeignKeyCheck = (record: ReadRecord) => LineError | undefined

/** Reads the tenant's entities once: they are far fewer than records. */
export async function checkForeignKeys(
  { foreignKeys }: RecordType,
  database: Pick<Database, 'read'>,
  tenantId: string | undefined,
): Promise<ForeignKeyCheck> {
  if (tenantId === undefined) return () => undefined
  const entities = [...new Set(Object.values(foreignKeys))]
  const siteById = new Map(
    await Promise.all(
      entities.map(async (entity) => [entity, await listEntities[entity](database, tenantId)] as const),
    ),
  )
  return (record) => {
    for (const [field, entity] of Object.entries(foreignKeys)) {
      for (const id of [record[field] ?? []].flat().map(String)) {
        const site = siteById.get(entity)?.get(id)
        if (site === undefined) return reject(`${field}: the tenant has no ${entity} ${id}`)
        if (entity !== 'site' && (record.siteId ?? site) !== site) {
          return reject(`${field}: the ${entity} ${id} does not belong to the site ${String(record.siteId)}`)
        }
      }
    }
    return undefined
  }
}
