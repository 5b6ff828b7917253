import type { z } from 'zod'
import type { Sql } from '../../../queries/sql/sql.ts'

/** What a record can refer to by its id: it must be the tenant's, and of the record's site where the record names one. */
export type Referent = 'site' | 'page'

/** A row of a table, its tenant apart, in the forms ClickHouse reads out of JSON. */
export type RecordRow = Readonly<Record<string, unknown>> & { readonly id: string }

/** A column that stays as it is from when it says anything but `until`: a line that still says that changes nothing then. */
export interface SettlingColumn {
  readonly column: string
  readonly until: string
}

/** A column of text that keeps what is stored where a row leaves it undefined. */
export interface KeptColumn {
  readonly column: string
  /** Narrows the table to where some rows are, by what it is ordered by. */
  readonly around: (rows: readonly RecordRow[]) => Sql
}

/**
 * One kind of records that are imported (decisions, Where data comes from). Each row has an `id`; a later row of the same
 * takes its place, as far as `fixed` and `version` let it.
 */
export interface RecordType<Shape extends z.ZodObject = z.ZodObject> {
  /** As on the command line, `import pages`. */
  readonly name: string
  /** What people call them: "monitored pages". */
  readonly things: string
  /** The path whose answers a line can be taken from. */
  readonly answeredBy?: `/v1/${string}`
  /** A line. Its members' descriptions and bounds are what the help and a rejection say. */
  readonly shape: Shape
  /** Members that an answer has and the store works out itself: a line may have them, and they are passed over. */
  readonly derived?: readonly string[]
  /** Members that name something of the tenant's, alone or in a list; null names nothing. */
  readonly refersTo: Readonly<Record<string, Referent>>
  /** The members that tell two records apart; `id` by default. */
  readonly identifiedBy?: readonly string[]
  /** The flag --site stands in for a siteId that a line lacks. */
  readonly siteByFlag?: true
  readonly table: string
  /** Public knowledge, the same for every tenant: the table has no tenant, and the command takes none. */
  readonly ofEveryone?: true
  /**
   * Members that stay as they are once the id is stored, with their columns: those the table is ordered by, because two
   * rows that differ in them are two records, and those that settle once they say something.
   */
  readonly fixed?: Readonly<Record<string, string | SettlingColumn>>
  readonly kept?: KeptColumn
  /** The column whose greatest value decides which of two records with an id stands; the later line by default. */
  readonly version?: string
  /** @param line 1-based number of the line in its file. */
  readonly toRow: (record: z.output<Shape>, line: number) => RecordRow
  /** A line that works, as the help shows it; the siteId may be left to the flag. */
  readonly example: Partial<z.input<Shape>>
}

/** Declares a kind of records, so that `toRow` gets its record typed. Its shape takes no other member. */
export function recordType<Shape extends z.ZodObject>(definition: RecordType<Shape>): RecordType {
  // The import hands toRow only what its own shape read, which the erased type cannot show.
  return { ...definition, shape: definition.shape.strict() } as unknown as RecordType
}
