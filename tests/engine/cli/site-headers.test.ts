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

  test("prints headers of the kinds asked for, at the site's own host, and each kind's cost", async () => {
    const { response } = await done('sites', 'create', ...site('kinds.example'))
    const args = ['--site', response.id, '--types', 'scripts,coep', '--path', '/r']
    const { stdout, stderr } = await headers(...args)
    const reportUrl = `/r/${response.token}`
    const policy = "script-src 'self' 'report-sample' 'report-sha256'"
    expect(JSON.parse(stdout)).toEqual({
      id: response.id,
      token: response.token,
      reportUrl,
      headers: [
        `Reporting-Endpoints: default="${reportUrl}"`,
        `Content-Security-Policy-Report-Only: ${policy}; report-uri ${reportUrl}; report-to default`,
        'Cross-Origin-Embedder-Policy-Report-Only: require-corp; report-to="default"',
      ],
    })
    expect(stderr).toMatch(/^scripts: .*\ncoep: .*\n$/)
  })

  test('adds reporting to a policy, which stays as it is otherwise', async () => {
    const { response } = await done('sites', 'create', ...site('policy.example'))
    const added = async (...args: string[]) => {
      const { stdout, stderr } = await headers('--site', response.id, ...args)
      expect(stderr).toContain('report-to other is replaced')
      return JSON.parse(stdout).headers.filter((line: string) => line.startsWith('Content-Security-Policy'))
    }
    const report = `report-uri https://a.example https://in.example/r/${response.token}; report-to default`
    const own = "default-src 'none'; img-src 'none'; report-uri https://a.example; report-to other"
    expect(await added('--add-to', own)).toEqual([
      `Content-Security-Policy: default-src 'report-sample'; img-src 'none'; ${report}`,
    ])
    expect(await added('--types', 'all', '--add-to', `content-security-policy-report-only: ${own}`)).toEqual([
      `Content-Security-Policy-Report-Only: default-src 'report-sample' 'report-sha256'; img-src 'none'; ${report}`,
    ])
  })

  test.each([
    [['--types', 'csp,nel'], /^--types must be all, or of csp, scripts, .*, not "csp,nel"\n$/],
    [['--add-to', ';'], /^--add-to must be a policy such as .*, not ";"\n$/],
    [['--types', 'scripts', '--add-to', 'img-src *'], /^The policy of --add-to restricts no scripts/],
    [['--path', '/r/"x'], /^--path must be a path such as \/r, not/],
    [['--format', 'iis'], /^--format must be one of nginx, apache, caddy, express, cloudflare, not "iis"\n$/],
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
