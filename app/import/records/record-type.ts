/** @module A record type is one declaration, read by the importer, the command line and its help. */

import type { z } from 'zod'
import type { Sql } from '../../../queries/sql/sql.ts'

/** Entities of the tenant that a record can refer to by id. */
export type ForeignEntity = 'site' | 'page'

/** One row without its tenant, in the JSON form that ClickHouse reads. */
export type RecordRow = Readonly<Record<string, unknown>> & { readonly id: string }

/** A column that can change only while it has the value `mutableWhile`, or the condition on the stored row holds. */
export interface ImmutableColumn {
  readonly column: string
  readonly mutableWhile: string
  readonly alsoWhile?: Sql
}

/** A text column whose stored value is preserved by a row without it. */
export interface PreservedColumn {
  readonly column: string
  /** Condition on the table's sorting key that narrows the read to these rows. */
  readonly around: (rows: readonly RecordRow[]) => Sql
}

export interface RecordType<Schema extends z.ZodObject = z.ZodObject> {
  /** `pages` of the command `import pages`. */
  readonly name: string
  /** "monitored pages". */
  readonly label: string
  /** GET path whose responses can be imported as lines. */
  readonly endpointPath?: `/v1/${string}`
  readonly schema: Schema
  /** Fields of a response that are computed on reading: an import ignores them. */
  readonly derived?: readonly string[]
  /** Fields with one id or a list of ids of the tenant's entities; null refers to nothing. */
  readonly foreignKeys: Readonly<Record<string, ForeignEntity>>
  /** Fields that identify a record; `id` by default. */
  readonly keyFields?: readonly string[]
  /** The flag --site replaces a missing siteId. */
  readonly siteFromFlag?: true
  readonly table: string
  /** Public data without a tenant. */
  readonly isGlobal?: true
  /** Fields that cannot change once stored, with their columns; those of the sorting key must be among them. */
  readonly immutable?: Readonly<Record<string, string | ImmutableColumn>>
  readonly preserved?: PreservedColumn
  /** Column whose greatest value wins among records of one id; by default the later line wins. */
  readonly version?: string
  /** @param line 1-based number in the file. */
  readonly toRow: (record: z.output<Schema>, line: number) => RecordRow
  /** A valid line for the help. */
  readonly example: Partial<z.input<Schema>>
}

/** Types `toRow` by the schema, and makes the schema strict. */
export function recordType<Schema extends z.ZodObject>(definition: RecordType<Schema>): RecordType {
  // The import hands toRow only output of its own schema, which the erased type cannot express.
  return { ...definition, schema: definition.schema.strict() } as unknown as RecordType
}
