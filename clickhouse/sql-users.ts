/**
 * @module SQL users of one tenant, and the row policies and quota of their role. server/users.xml has the role's grants and
 * its profile.
 */

export const tenantRole = 'tenant_sql'

const prefix = 'sql_'

/** Tenant and name of a SQL user. */
export const userPattern = new RegExp(`^${prefix}([0-9a-f-]{36})_([a-z0-9_]{1,32})$`)

/** Row policies read the tenant from the name, so no setting changes it. */
export const userName = (tenantId: string, name: string): string => `${prefix}${tenantId}_${name}`

export interface RowPolicy {
  readonly database: string
  readonly table: string
  /** As ClickHouse prints it in system.row_policies. */
  readonly filter: string
}

const tenantOfUser = `toUUIDOrZero(substring(currentUser(), ${prefix.length + 1}, 36))`
const ofTenant = `tenant_id = ${tenantOfUser}`
const reports = { reports: ofTenant, reports_by_time: ofTenant, reports_per_day_by_issue: ofTenant }
const names = { sites: ofTenant, tenants: `id = ${tenantOfUser}` }
/** Listed tables and columns have sizes, which are those of all tenants; views have none. */
const system = { columns: "endsWith(table, '_named')", tables: "endsWith(name, '_named')" }

/** A policy for every table that the role can read. On a cluster the reports are in the shards' database. */
export const rowPolicies: readonly RowPolicy[] = Object.entries({
  default: { ...reports, ...names },
  reports: names,
  reports_shard: reports,
  system,
}).flatMap(([database, filters]) => Object.entries(filters).map(([table, filter]) => ({ database, table, filter })))

/** Restrictive: a permissive policy of another role does not extend it. */
export const createPolicy = ({ database, table, filter }: RowPolicy): string =>
  `CREATE ROW POLICY OR REPLACE ${tenantRole} ON ${database}.${table} AS RESTRICTIVE FOR SELECT USING ${filter} TO ${tenantRole}`

/** An hour's statements and seconds of one user: five dashboards that refresh 20 panels every minute. */
export const createQuota = `CREATE QUOTA OR REPLACE ${tenantRole} KEYED BY user_name FOR INTERVAL 1 HOUR MAX queries = 10000, execution_time = 3600 TO ${tenantRole}`

/** The user has no rights until the role is granted. */
export const createUser = `CREATE USER OR REPLACE {user:Identifier} IDENTIFIED WITH sha256_hash BY {hash:String} SETTINGS PROFILE ${tenantRole}`

/** Throws for a name that is not of a SQL user. */
export const grantRole = (user: string): string => `GRANT ${tenantRole} TO ${quoted(user)}`

/** Throws for a name that is not of a SQL user. */
export const dropUser = (user: string): string => `DROP USER IF EXISTS ${quoted(user)}`

/** GRANT and DROP USER take no parameters. */
function quoted(user: string): string {
  if (!userPattern.test(user)) throw new Error(`not a SQL user: ${user}`)
  return `\`${user}\``
}
