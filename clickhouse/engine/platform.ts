/** @module Differences of the embedded engine from Linux x64. */

/** Values of `process`. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly arch: string
}

/** Freed memory is reused for 5 min in huge pages: an import takes 3 to 14 % less processor time (16 to 24 M rows). */
export const allocatorOptions = ({ platform }: Machine): string =>
  platform === 'linux' ? 'dirty_decay_ms:300000,thp:always' : 'dirty_decay_ms:300000'

const server =
  'docker run --detach --publish 127.0.0.1:8123:8123 --env CLICKHOUSE_PASSWORD=secret clickhouse/clickhouse-server:26.7'
const serverUrl = 'http://default:secret@127.0.0.1:8123/default'

/** @param reason as the loader gives it; only its first sentence is repeated. */
export function withoutLibrary({ platform, arch }: Machine, reason: string): string {
  const [first = ''] = reason.split(/\.? (?:Tried|Require stack):/)
  return (
    `its library does not load on ${platform} ${arch} (${first}). Use a ClickHouse server instead: "${server}", ` +
    `then set CLICKHOUSE_URL=${serverUrl} and run "security-reporting migrate"`
  )
}
