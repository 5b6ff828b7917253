import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** The reader only reads, within limits; the writer migrates and imports. */
export type Role = 'reader' | 'writer'

/** Limits of every reader query; a caller may lower them, never raise them. */
export const readerLimits = {
  max_execution_time: 30,
  max_memory_usage: 4_000_000_000,
  max_result_rows: 1_000_000,
  max_result_bytes: 1_000_000_000,
} as const

/** Where the writer's password lies: readable by its owner alone, made on first start. */
export function writerPasswordPath(dataDir: string): string {
  return join(dataDir, 'writer.password')
}

/** Reads the writer's password, making one on first start. */
export function writerPassword(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = writerPasswordPath(dataDir)
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (kept.length >= passwordLength) return kept
  const made = randomBytes(24).toString('base64url')
  // Written aside first: a start that is cut short must not leave an empty password behind.
  writeFileSync(`${path}.new`, made, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return made
}

const passwordLength = 32

/** Settings that a reader has for good. */
export const readerConstants = {
  result_overflow_mode: 'throw',
  timeout_overflow_mode: 'throw',
  dialect: 'clickhouse',
  allow_experimental_eval_table_function: '0',
}

const usersXml = `<clickhouse>
  <profiles>
    <default/>
    <reader><constraints>
      ${Object.entries(readerLimits)
        .map(([name, max]) => `<${name}><min>1</min><max>${max}</max></${name}>`)
        .join('')}
      <max_untracked_memory><max>4194304</max></max_untracked_memory>
      ${Object.keys(readerConstants)
        .map((name) => `<${name}><const/></${name}>`)
        .join('')}
    </constraints></reader>
  </profiles>
  <roles>
    <reader><grants>
      <query>GRANT SELECT, SHOW DATABASES, SHOW TABLES, SHOW COLUMNS, SHOW DICTIONARIES, dictGet ON *.*</query>
    </grants></reader>
    <writer><grants>
      <query>GRANT SHOW, SELECT, INSERT, ALTER, CREATE, DROP, UNDROP TABLE, TRUNCATE, OPTIMIZE, CHECK, KILL QUERY, SYSTEM, dictGet ON *.*</query>
      <query>REVOKE SYSTEM SHUTDOWN ON *.*</query>
    </grants></writer>
  </roles>
  <users><default>
    <password></password>
    <profile>default</profile>
    <quota>default</quota>
    <networks><ip>::/0</ip></networks>
    <grants><query>GRANT reader, writer</query></grants>
  </default></users>
  <quotas><default/></quotas>
</clickhouse>
`

/**
 * Merging, on half the processor's threads: an insert goes before it, and it has less to do the longer it waits, because
 * it takes more parts at a time. As many merges are under way as with all threads, so that no long ones keep short ones out.
 */
const mergingXml = `<background_pool_size>${Math.max(1, availableParallelism() >> 1)}</background_pool_size>
  <background_merges_mutations_concurrency_ratio>4</background_merges_mutations_concurrency_ratio>`

/** Writes the engine's configuration into the data directory and gives its path. Roles and limits are the engine's own. */
export function writeEngineConfig(dataDir: string): string {
  const usersPath = join(dataDir, 'engine-users.xml')
  const configPath = join(dataDir, 'engine-config.xml')
  const configXml = `<clickhouse>
  <users_config>${escapeXml(usersPath)}</users_config>
  ${mergingXml}
</clickhouse>
`
  writeFileSync(usersPath, usersXml, { mode: 0o600 })
  writeFileSync(configPath, configXml, { mode: 0o600 })
  return configPath
}

/** The statements that make a new connection the role's: they run before anything a caller sends. */
export function roleStatements(role: Role): string[] {
  if (role === 'writer') return ['SET ROLE writer', 'SET implicit_select = 0']
  const limits = Object.entries({ ...readerConstants, ...readerLimits }).map(([name, value]) => `${name} = '${value}'`)
  return ['SET ROLE reader', `SET profile = 'reader', implicit_select = 0, ${limits.join(', ')}`]
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
