import type { Database } from '../../../queries/clickhouse/client.ts'
import { listPageSites } from '../../../queries/pages/list-page-sites.ts'
import { listSites } from '../../../queries/tenants/list-sites.ts'
import { type Refusal, refuse } from '../ndjson/line-error.ts'
import type { ReadRecord } from './read-record.ts'
import type { RecordType, Referent } from './record-type.ts'

/** What records can refer to: each thing of the tenant's by its id, with the site it is of. */
type Known = ReadonlyMap<string, string>

const listKnown: Readonly<Record<Referent, (database: Pick<Database, 'read'>, tenantId: string) => Promise<Known>>> = {
  site: async (database, tenantId) => new Map((await database.read(listSites(tenantId))).map(({ id }) => [id, id])),
  page: async (database, tenantId) =>
    new Map((await database.read(listPageSites(tenantId))).map(({ id, siteId }) => [id, siteId])),
}

/** Refuses a record that refers to what is not the tenant's, or not of the record's site. */
export type ReferenceCheck = (record: ReadRecord) => Refusal | undefined

/** Reads what records of a type can refer to, once: they are far fewer than the records. */
export async function checkReferences(
  { refersTo }: RecordType,
  database: Pick<Database, 'read'>,
  tenantId: string | undefined,
): Promise<ReferenceCheck> {
  if (tenantId === undefined) return () => undefined
  const kinds = [...new Set(Object.values(refersTo))]
  const known = new Map(
    await Promise.all(kinds.map(async (kind) => [kind, await listKnown[kind](database, tenantId)] as const)),
  )
  return (record) => {
    for (const [member, kind] of Object.entries(refersTo)) {
      for (const id of [record[member] ?? []].flat().map(String)) {
        const site = known.get(kind)?.get(id)
        if (site === undefined) return refuse(`${member}: the tenant has no ${kind} ${id}`)
        if (kind !== 'site' && (record.siteId ?? site) !== site) {
          return refuse(`${member}: the ${kind} ${id} is not of the site ${String(record.siteId)}`)
        }
      }
    }
    return undefined
  }
}
