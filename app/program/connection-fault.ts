import { isNamed } from '../../queries/clickhouse/error-codes.ts'
import { openNode } from '../../queries/clickhouse/open-node.ts'

const timeoutMs = 2_000

/** Why a server that was asked `SELECT 1` did not run it, within 2 s and without the password. */
export async function connectionFault(url: string): Promise<string> {
  const { origin, username, pathname } = new URL(url)
  const node = openNode(url, {})
  const error = await node.select1(timeoutMs).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  await node.close()
  if (isNamed(error, 'AUTHENTICATION_FAILED', 'REQUIRED_PASSWORD')) {
    return `${origin} refuses its user ${decodeURIComponent(username) || 'default'}, or the password`
  }
  if (isNamed(error, 'UNKNOWN_DATABASE')) return `${origin} has no database ${decodeURIComponent(pathname.slice(1))}`
  return `${origin} does not respond`
}
