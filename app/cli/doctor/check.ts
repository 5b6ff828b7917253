import type { Config } from '../../config.ts'
import type { DatabaseAccess } from '../../program/open-database.ts'

/** One line of `doctor`. */
export interface Check {
  readonly name: string
  /** What to do where it fails. */
  readonly fix: string
  /** What was found. Throws an Error of one line where it is not as it must be. */
  run(installation: Installation): Promise<string>
}

/** Both are read when a check first needs them, and throw where they cannot be. */
export interface Installation {
  config(): Config
  database(): Promise<DatabaseAccess>
}
