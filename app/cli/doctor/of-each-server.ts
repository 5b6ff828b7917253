import type { Database } from '../../../queries/clickhouse/database.ts'
import type { DatabaseAccess } from '../../program/open-database.ts'

/**
 * Runs a check on the server, or on every responding node of a cluster.
 * @param check gets the server's address for messages.
 */
export const ofEachServer = <Found>(
  { writer, url, cluster }: DatabaseAccess,
  check: (server: Database, url: string) => Promise<Found>,
): Promise<Found[]> =>
  Promise.all(cluster ? cluster.nodes.map(({ use, origin }) => check(use(''), origin)) : [check(writer, url)])
