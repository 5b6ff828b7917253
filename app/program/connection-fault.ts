import { isNamed } from '../../queries/clickhouse/error-codes.ts'
import { openNode } from '../../queries/clickhouse/open-node.ts'

/** Reason why a server cannot run `SELECT 1`, without the password; undefined if it can. */
export async function connectionFault(url: string, timeoutMs = 2_000): Promise<string | undefined> {
  const { origin, username, pathname } = new URL(url)
  const node = openNode(url, {})
  try {
    await node.select1(timeoutMs)
    return undefined
  } catch (error) {
    if (isNamed(error, 'AUTHENTICATION_FAILED', 'REQUIRED_PASSWORD')) {
      return `${origin} rejects the user ${decodeURIComponent(username) || 'default'} or the password`
    }
    if (isNamed(error, 'UNKNOWN_DATABASE')) return `${origin} has no database ${decodeURIComponent(pathname.slice(1))}`
    return `${origin} does not respond`
  } finally {
    await node.close()
  }
}
