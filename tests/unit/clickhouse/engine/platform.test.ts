/** @module Machines other than Linux x64, faked: no test machine is one. */

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { allocatorOptions, type Machine, withoutLibrary } from '../../../../clickhouse/engine/platform.ts'

const machines: readonly Machine[] = [
  { platform: 'linux', arch: 'arm64' },
  { platform: 'darwin', arch: 'arm64' },
  { platform: 'darwin', arch: 'x64' },
  { platform: 'linux', arch: 'riscv64' },
  { platform: 'win32', arch: 'x64' },
]

test('huge pages are of Linux alone', () => {
  expect(machines.filter((machine) => allocatorOptions(machine).includes('thp')).map(({ arch }) => arch)).toEqual([
    'arm64',
    'riscv64',
  ])
})

const serverProcess = fileURLToPath(new URL('../../../../clickhouse/engine/server-process.mjs', import.meta.url))

/** What the engine's process prints on a machine without the library. */
async function startOn({ platform, arch }: Machine): Promise<string> {
  const fake = `Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: '${arch}' } })`
  const preload = `data:text/javascript,${encodeURIComponent(fake)}`
  const child = spawn(process.execPath, ['--import', preload, serverProcess], {
    env: { CHDB_LIBCHDB_PATH: '/none/libchdb.so' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return (await text(child.stderr)).trimEnd()
}

describe.each(machines)('on $platform $arch, without its library', (machine) => {
  test('the engine ends with one line, and its error names CLICKHOUSE_URL and one command that gives a server', async () => {
    const line = await startOn(machine)
    expect(line).toMatch(/^Cannot load the library: [^\n]+$/)
    const error = withoutLibrary(machine, line)
    expect(error).toContain(`on ${machine.platform} ${machine.arch} (`)
    expect(error).toMatch(
      / "docker run [^"]*127\.0\.0\.1:8123:8123[^"]*clickhouse-server:\d+\.\d+", .*CLICKHOUSE_URL=http:\S+ /,
    )
    expect(error).not.toMatch(/Tried|Require stack|\n/)
  })
})
