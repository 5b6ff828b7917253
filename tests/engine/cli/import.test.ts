import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startCli } from '../../support/cli.ts'
import { openCliImports, post } from '../../support/cli-import.ts'

const { countOf, environment, folder, importReports, rollupsOf, tenants, tenantWithSite, write } = openCliImports()

const captured = new URL('../../../fixtures/captured/', import.meta.url)

describe('import reports', () => {
  test('an import of captured reports stores all of them and rejects none', async () => {
    const files = (await readdir(captured)).filter((name) => name.endsWith('.ndjson'))
    expect(files.length).toBeGreaterThan(0)
    const { tenantId, siteId } = await tenantWithSite()
    let total = 0
    for (const name of files) {
      const path = write(name, readFileSync(new URL(name, captured), 'utf8').trimEnd().split('\n'))
      const { code, stdout, stderr } = await importReports(['--tenant', tenantId, '--site', siteId, path])
      expect(code, stderr).toBe(0)
      const { posts, reports, stored, skipped, rejected } = JSON.parse(stdout)
      const skips = Object.values<number>(skipped).reduce((sum, count) => sum + count, 0)
      expect({ rejected, sum: stored + skips }).toEqual({ rejected: 0, sum: reports })
      expect(posts).toBeGreaterThan(0)
      expect(existsSync(`${path}.rejected.ndjson`)).toBe(false)
      total += stored
    }
    expect(await countOf(tenantId)).toBe(total)
    expect(await rollupsOf(tenantId)).toMatchObject({ different: 0 })
  })

  test('an import writes rejected lines with reasons to a file, stores the rest and exits 1', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    const path = write('mixed.ndjson', [
      post('https://a.example/'),
      'no JSON',
      post('https://b.example/'),
      post('https://a.example/2'),
    ])
    const { code, stdout, stderr } = await importReports(['--tenant', tenantId, path])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      posts: 4,
      reports: 3,
      stored: 2,
      expired: 0,
      skipped: {},
      unknownMembers: {},
      rejected: 2,
    })
    expect(stderr).toContain(`${path}.rejected.ndjson`)
    const lines = readFileSync(`${path}.rejected.ndjson`, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { body: 'no JSON', rejected: { line: 2, reason: expect.any(String) } },
      {
        body: JSON.parse(post('https://b.example/')),
        receivedAt: expect.any(String),
        rejected: { line: 3, reason: expect.stringContaining('b.example') },
      },
    ])
    expect(await countOf(tenantId)).toBe(2)
  })

  test('an import of a rejected file stores its reports once their host has a site', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    const path = write('again.ndjson', [post('https://a.example/'), post('https://c.example/')])
    expect((await importReports(['--tenant', tenantId, path])).code).toBe(1)
    await tenants.createSite(tenantId, { hosts: ['c.example'] })
    for (let run = 0; run < 2; run++) {
      const { code, stdout } = await importReports(['--tenant', tenantId, `${path}.rejected.ndjson`])
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, stored: 1, rejected: 0 })
      expect(await countOf(tenantId)).toBe(2)
    }
  })

  test('a repeated import stores nothing twice, and removes an outdated rejected file', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    const path = write('mended.ndjson', [post('https://a.example/'), 'no JSON'])
    expect((await importReports(['--tenant', tenantId, path])).code).toBe(1)
    write('mended.ndjson', [post('https://a.example/')])
    const { code, stdout } = await importReports(['--tenant', tenantId, path])
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, stored: 1, rejected: 0 })
    expect(existsSync(`${path}.rejected.ndjson`)).toBe(false)
  })

  test('an import counts reports older than the tenant’s retention as expired', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    const line = (receivedAt: number) =>
      JSON.stringify({ receivedAt: new Date(receivedAt).toISOString(), body: JSON.parse(post('https://a.example/')) })
    const path = write('old.ndjson', [line(Date.UTC(1990, 0)), line(Date.now()), post('https://a.example/')])
    const { code, stdout } = await importReports(['--tenant', tenantId, path])
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, reports: 3, stored: 2, expired: 1, rejected: 0 })
  })

  test('an import reads stdin, and writes to the working directory', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    const run = startCli(['import', 'reports', '--tenant', tenantId, '-'], { environment, folder })
    run.stdin.end(`${post('https://a.example/')}\nnot JSON\n`)
    const { code, stdout } = await run.ended
    expect(code).toBe(1)
    expect(stdout).toBe(
      '{"posts":2,"reports":1,"stored":1,"expired":0,"skipped":{},"unknownMembers":{},"rejected":1}\n',
    )
    expect(readFileSync(join(folder, 'stdin.rejected.ndjson'), 'utf8')).toContain('"line":2')
  })

  test('an import that cannot begin fails with one line and changes nothing', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    const bare = await tenants.createTenant()
    const path = write('good.ndjson', [post('https://a.example/')])
    const rejected = write('good.ndjson.rejected.ndjson', ['of an earlier run'])
    const id = randomUUID()
    const cases: [string[], string][] = [
      [['--tenant', id, path], `There is no tenant ${id}`],
      [['--tenant', tenantId, '--site', id, path], `The tenant has no site ${id}`],
      [['--tenant', bare, path], 'The tenant has no site yet'],
      [['--tenant', tenantId, join(folder, 'none')], `FILE cannot be read: ${join(folder, 'none')} does not exist`],
      [['--tenant', tenantId, folder], 'is a folder'],
    ]
    for (const [words, says] of cases) {
      const { code, stdout, stderr } = await importReports(words)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(says)
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    }
    expect(existsSync(rejected)).toBe(true)
    expect(await countOf(tenantId)).toBe(0)
  })
})
