import { oneLine } from './sql-text.ts'

/** What narrows the tables that hold more than one tenant's rows for a reason. */
const scopes: Readonly<Record<string, RegExp>> = {
  api_key_by_hash: /^\(key_hash = \{p\d+:String\}\)/,
  tenants: /^ FINAL\s+WHERE id = \(SELECT tenant_id FROM api_key_by_hash/,
  tenants_history: /^( FINAL)? WHERE tenant_id (= \{p\d+:UUID\}|= \(SELECT tenant_id FROM api_key_by_hash)/,
  library_files: /^ (FINAL )?WHERE/,
  library_advisories: /^ (FINAL )?WHERE/,
  schema_migrations: /^ WHERE/,
}

const ofTenant = /^( FINAL)?( ARRAY JOIN [^()]*)?( PREWHERE ((?! (FROM|WHERE) ).)*)? WHERE tenant_id = \{p\d+:UUID\}/

/** The tables that a statement reads, and whether each is narrowed at once to the tenant. */
export function tablesRead(text: string): { readonly table: string; readonly isScoped: boolean }[] {
  const statement = oneLine(text)
  return [...statement.matchAll(/\b(?:FROM|(?<!ARRAY )JOIN) ([a-z_]+)\b/g)].map(
    ({ 0: read, 1: table = '', index }) => ({
      table,
      isScoped: (scopes[table] ?? ofTenant).test(statement.slice(index + read.length)),
    }),
  )
}
