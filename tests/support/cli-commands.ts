import { expect, inject } from 'vitest'
import { cli } from './cli.ts'

/** Commands on the shared engine, as the user that writes. */

const run = (words: readonly string[]) => cli(words, { environment: { CLICKHOUSE_URL: inject('servers').writeUrl } })

/** Runs a command that must succeed, and gives its one JSON object. */
export async function done(...words: string[]) {
  const { code, stdout, stderr } = await run(words)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stdout).toMatch(/^\{.*\}\n$/)
  return { response: JSON.parse(stdout), stderr }
}

/** Runs a command that must do nothing, and gives its one line. */
export async function refused(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(words)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  return stderr.trimEnd()
}

export const makeTenant = async (...more: string[]): Promise<string> =>
  (await done('tenants', 'create', '--name', 'Zoë\'s "shop" 🛍 \\ ltd', '--plan', 'business', ...more)).response.id
