import { inject } from 'vitest'
import { cli } from './cli.ts'

interface Run {
  readonly stdin?: string
  /** By default with the servers' database. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs a command of `csp` on a site. */
export const runCsp = (siteId: string, args: readonly string[], { stdin = '', environment }: Run = {}) =>
  cli(['csp', ...args, '--site', siteId], {
    stdin,
    environment: environment ?? { CLICKHOUSE_URL: inject('servers').writeUrl },
  })
