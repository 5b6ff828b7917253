import type { ConnectOptions } from '../../../queries/clickhouse/client.ts'
import type { Config } from '../../config.ts'
import type { DatabaseAccess } from '../../program/open-database.ts'
import type { DeleteSettings } from '../../tenants/delete-tenant.ts'

/** Deadlines and waits of commands; the product's values by default. */
export interface CommandSettings extends DeleteSettings {
  readonly connectOptions?: ConnectOptions
  /** Wait for the owner of DATA_DIR whose engine restarts, or ends. */
  readonly ownerTimeoutMs?: number
  /** Wait of `destinations test` for a worker. */
  readonly testWaitMs?: number
}

/** The migrations that a command needs; all of this release by default. */
export type Schema = 'any' | 'as it is'

/** Everything that a command's action uses. An incomplete action throws an Error of one line. */
export interface Context {
  /** Base of relative paths. */
  readonly folder: string
  /**
   * The database, opened once and closed after the command. Throws if another release created it or migrations are
   * missing, except for 'any', and for 'as it is', which does not migrate the embedded engine.
   */
  database(schema?: Schema): Promise<DatabaseAccess>
  log(line: string): void
  /** Settings of the environment. Throws if one is invalid. */
  config(): Config
  /** Public URL of the collector, if the environment has it. */
  collectorUrl(): string | undefined
  /**
   * Sets the command's JSON object for stdout, if any. Exit code 1: lines were rejected, rollups differ, or a check
   * failed.
   */
  finish(result: object | undefined, exitCode?: 0 | 1): void
  readonly settings: CommandSettings
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}
