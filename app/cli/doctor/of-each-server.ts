import type { Database } from '../../../queries/clickhouse/database.ts'
import type { DatabaseAccess } from '../../program/open-database.ts'

/** Of a cluster, every node that responds. @param check gets the address of the server, for people. */
export const ofEachServer = <Found>(
  { writer, url, cluster }: DatabaseAccess,
  check: (server: Database, url: string) => Promise<Found>,
): Promise<Found[]> =>
  Promise.all(cluster ? cluster.nodes.map(({ use, origin }) => check(use(''), origin)) : [check(writer, url)])
