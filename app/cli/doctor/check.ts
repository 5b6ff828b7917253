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

/** A fault that is mended otherwise than the check's `fix` says. */
export class FaultWithFix extends Error {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.fix = fix
  }
}

/** Both are read when a check first needs them, and throw where they cannot be. */
export interface Installation {
  config(): Config
  database(): Promise<DatabaseAccess>
}
