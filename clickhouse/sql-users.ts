/** @module Statements that create SQL users of one tenant. server/users.xml has the grants of their role and its profile. */

export const tenantRole = 'tenant_sql'

export const userPrefix = 'sql_'

/** Tenant and name of a SQL user. */
export const userPattern = new RegExp(`^${userPrefix}([0-9a-f-]{36})_([a-z0-9_]{1,32})$`)

/** Row policies read the tenant from the name, so no setting changes it. */
export const userName = (tenantId: string, name: string): string => `${userPrefix}${tenantId}_${name}`

export interface RowPolicy {
  readonly database: string
  readonly table: string
  /** As ClickHouse prints it in system.row_policies. */
  readonly filter: string
}

const tenantOfUser = `toUUIDOrZero(substring(currentUser(), ${userPrefix.length + 1}, 36))`
const ofTenant = { filter: `tenant_id = ${tenantOfUser}` }

const reports = ['reports', 'reports_by_time', 'reports_per_day_by_issue'].map((table) => ({ table, ...ofTenant }))
const names = [
  { table: 'sites', ...ofTenant },
  { table: 'tenants', filter: `id = ${tenantOfUser}` },
]

/** Tables of the views for people. On a cluster the reports are in the shards' database. */
const tables = { default: [...reports, ...names], reports: names, reports_shard: reports }

/** Sizes of tables and columns are those of all tenants: only views are listed. */
const listed = {
  system: [
    { table: 'columns', filter: "endsWith(table, '_named')" },
    { table: 'tables', filter: "endsWith(name, '_named')" },
  ],
}

/** A policy for every table that the role can read. */
export const rowPolicies: readonly RowPolicy[] = Object.entries({ ...tables, ...listed }).flatMap(
  ([database, policies]) => policies.map((policy) => ({ database, ...policy })),
)

/** Restrictive: a permissive policy of another role does not extend it. */
export const createPolicy = ({ database, table, filter }: RowPolicy): string =>
  `CREATE ROW POLICY OR REPLACE ${tenantRole} ON ${database}.${table} AS RESTRICTIVE FOR SELECT USING ${filter} TO ${tenantRole}`

/** An hour's statements and seconds of one user: five dashboards that refresh 20 panels every minute. */
export const createQuota = `CREATE QUOTA OR REPLACE ${tenantRole} KEYED BY user_name FOR INTERVAL 1 HOUR MAX queries = 10000, execution_time = 3600 TO ${tenantRole}`

/** The user has no rights until the role is granted. */
export const createUser = `CREATE USER OR REPLACE {user:Identifier} IDENTIFIED WITH sha256_hash BY {hash:String} SETTINGS PROFILE ${tenantRole}`

/** GRANT and DROP USER take no parameters. Throws for a name that is not of a SQL user. */
function quoted(user: string): string {
  if (!userPattern.test(user)) throw new Error(`not a SQL user: ${user}`)
  return `\`${user}\``
}

export const grantRole = (user: string): string => `GRANT ${tenantRole} TO ${quoted(user)}`

export const dropUser = (user: string): string => `DROP USER IF EXISTS ${quoted(user)}`

/** First release whose mergeTreeIndex() does not show the sorting keys of rows that a policy hides. */
export const oldestServer = '26.7.6'
