import type { DatabaseAccess } from '../server/open-database.ts'

/** The world as a command reaches it. Its action throws an Error of one line where it did nothing, or only a part. */
export interface Context {
  /** The folder that relative paths start from. */
  readonly folder: string
  /** The engine, opened at the first call and closed after the command; with every migration, unless any will do. */
  engine(schema?: 'any'): Promise<DatabaseAccess>
  /** Prints one line for people on stderr. */
  say(line: string): void
  /** Ends the command with its one JSON object; the exit code is 1 where lines were rejected or rollups differ. */
  finish(result: object, exitCode?: 0 | 1): void
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}
