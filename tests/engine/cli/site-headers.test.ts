import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { done, makeTenant, refused } from '../../support/cli-commands.ts'

let tenant: string

beforeAll(async () => {
  tenant = await makeTenant()
})

const site = (host: string) => ['--tenant', tenant, '--name', 'Shop', '--host', host]
const named = () => ({ CLICKHOUSE_URL: inject('servers').writeUrl, COLLECTOR_URL: 'https://in.example' })

describe('beside a server, whose collector nothing names', () => {
  test('a site is made and its token rotated without an address, and stderr has what to set', async () => {
    const { response, stderr } = await done('sites', 'create', ...site('unnamed.example'))
    expect(Object.keys(response)).toEqual(['id', 'token'])
    expect(stderr).toMatch(/^The URL of the collector is unknown: set COLLECTOR_URL .*\n$/)
    const rotated = await done('sites', 'rotate-token', '--tenant', tenant, '--site', response.id)
    expect(rotated.response).toEqual({ id: response.id, token: expect.stringMatching(/^[\w-]{22}$/) })
    expect(rotated.stderr).toBe(stderr)
  })

  test('its headers are an error of one line', async () => {
    const { response } = await done('sites', 'create', ...site('headers.example'))
    expect(await refused('sites', 'headers', '--tenant', tenant, '--site', response.id)).toMatch(/set COLLECTOR_URL/)
  })
})

describe('sites headers', () => {
  const headers = (...args: string[]) =>
    cli(['sites', 'headers', '--tenant', tenant, ...args], { environment: named() })

  test('prints what sites create printed, and configuration in a format', async () => {
    const created = await cli(['sites', 'create', ...site('again.example')], { environment: named() })
    const address = JSON.parse(created.stdout)
    expect(address.reportUrl).toBe(`https://in.example/r/${address.token}`)
    expect(await headers('--site', address.id)).toEqual(created)
    const { stdout } = await headers('--site', address.id, '--format', 'nginx', '--collector', 'https://other.example')
    expect(stdout).toContain(
      `add_header Reporting-Endpoints "default=\\"https://other.example/r/${address.token}\\"" always;\n`,
    )
  })

  test.each([
    [['--format', 'iis'], /^--format must be one of nginx, apache, caddy, express, not "iis"\n$/],
    [['--collector', "https://in.example/'self'"], /^--collector must be a URL such as/],
    [['--collector', 'https://in.example/;a'], /^--collector must be a URL such as/],
    [['--site', '00000000-0000-4000-8000-000000000000'], /^The tenant has no site/],
  ])('%j is an error', async (args, line) => {
    const { response } = await done('sites', 'create', ...site(`${crypto.randomUUID()}.example`))
    const { code, stdout, stderr } = await headers(...(args[0] === '--site' ? [] : ['--site', response.id]), ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(line)
  })
})

test('on the embedded engine the address is that of this machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-headers-'))
  const environment = { DATA_DIR: folder, CLICKHOUSE_PORT: '0', COLLECTOR_PORT: '9788' }
  try {
    const made = await cli(['tenants', 'create', '--name', 'A', '--plan', 'team'], { environment })
    const words = ['sites', 'create', '--tenant', JSON.parse(made.stdout).id, '--name', 'S', '--host', 'a.example']
    const { token, reportUrl } = JSON.parse((await cli(words, { environment })).stdout)
    expect(reportUrl).toBe(`http://127.0.0.1:9788/r/${token}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
