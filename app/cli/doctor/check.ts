import type { Config } from '../../config.ts'
import type { DatabaseAccess } from '../../program/open-database.ts'

/** One line of `doctor`. */
export interface Check {
  readonly name: string
  /** Remedy if the check fails. */
  readonly fix: string
  /** Returns the finding. Throws an Error of one line if the check fails. */
  run(installation: Installation): Promise<string>
}

/** A fault with a remedy other than the check's `fix`. */
export class FaultWithFix extends Error {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.fix = fix
  }
}

/** Both are read when a check first needs them, and throw if they cannot be read. */
export interface Installation {
  config(): Config
  database(): Promise<DatabaseAccess>
}
