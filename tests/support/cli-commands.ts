import { expect, inject } from 'vitest'
import type { CommandSettings } from '../../app/cli/command/context.ts'
import { cli } from './cli.ts'

/** Commands as the user that writes. */
export function commandsOn(
  url: () => string,
  settings: CommandSettings = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const run = (words: readonly string[]) =>
    cli(words, { environment: { ...environment, CLICKHOUSE_URL: url() }, settings })

  /** Runs a command that must succeed, and gives its one JSON object. */
  async function done(...words: string[]) {
    const { code, stdout, stderr } = await run(words)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/^\{.*\}\n$/)
    return { response: JSON.parse(stdout), stderr }
  }

  /** Runs a command that must do nothing, and gives its one line. */
  async function refused(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^[^\n]+\n$/)
    return stderr.trimEnd()
  }

  const makeTenant = async (...more: string[]): Promise<string> =>
    (await done('tenants', 'create', '--name', 'Zoë\'s "shop" 🛍 \\ ltd', '--plan', 'business', ...more)).response.id

  return { run, done, refused, makeTenant }
}

/** On the shared engine. */
export const { done, refused, makeTenant } = commandsOn(() => inject('servers').writeUrl)
