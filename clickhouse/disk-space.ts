/** @module Room on ClickHouse's disk. */

import { z } from 'zod'
import type { Query } from '../queries/sql/query.ts'
import { rowCount } from '../queries/sql/rows.ts'
import { sql } from '../queries/sql/sql.ts'

export interface DiskSpace {
  readonly free: number
  /** Size in bytes. */
  readonly size: number
}

export const findDiskSpace: Query<DiskSpace> = {
  name: 'findDiskSpace',
  statement: sql`SELECT filesystemAvailable() AS free, filesystemCapacity() AS size`,
  row: z.object({ free: rowCount, size: rowCount }),
  pool: 'lookup',
}

/** Value in server/config.d/disk.xml. */
const mostReserved = 1_000_000_000
const reservedShare = 0.2

/** Free bytes below which ClickHouse rejects inserts and begins no merge: 1 GB, on a small disk a fifth. */
export const reservedBytes = (size: number): number => Math.floor(Math.min(mostReserved, size * reservedShare))

export const hasRoom = ({ free, size }: DiskSpace): boolean => free >= reservedBytes(size)
