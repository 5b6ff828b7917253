import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startCli } from '../../support/cli.ts'
import { openCliImports, post } from '../../support/cli-import.ts'

const { countOf, environment, folder, importReports, rollupsOf, tenantWithSite, write } = openCliImports()

describe('a stopped import of reports', () => {
  test('an import stops at Ctrl-C after a batch, exits 2 and resumes there', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    // Lines so long that 40 MB, more than one batch, are few reports.
    const lines = Array.from({ length: 700 }, (_, index) => post(`https://a.example/${index}`, 'x'.repeat(100_000)))
    const path = write('long.ndjson', lines)
    const run = startCli(['import', 'reports', '--tenant', tenantId, '-'], { environment, folder })
    run.stdin.write(
      lines
        .slice(0, 400)
        .map((line) => `${line}\n`)
        .join(''),
    )
    await expect.poll(() => countOf(tenantId), { interval: 100 }).toBeGreaterThan(0)
    run.kill('SIGINT')
    const { code, stdout, stderr } = await run.ended
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Run the same command again')
    const stored = await countOf(tenantId)
    expect(stored).toBeLessThan(lines.length)

    const again = await importReports(['--tenant', tenantId, path])
    expect(JSON.parse(again.stdout)).toMatchObject({ posts: lines.length, stored: lines.length, rejected: 0 })
    expect(await countOf(tenantId)).toBe(lines.length)
    expect(await rollupsOf(tenantId)).toMatchObject({ different: 0 })
  })

  test('an import stopped at a silent pipe ends at once, with the whole lines that it read stored', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    const lines = [post('https://a.example/1'), post('https://a.example/2'), post('https://a.example/3').slice(0, 50)]
    const run = startCli(['import', 'reports', '--tenant', tenantId, '-'], { environment, folder })
    run.stdin.write(lines.join('\n'))
    await expect.poll(() => countOf(tenantId), { interval: 100 }).toBe(2)
    run.kill('SIGTERM')
    const { code, stderr } = await run.ended
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Run the same command again') })
    expect(await countOf(tenantId)).toBe(2)

    const whole = [...lines.slice(0, 2), post('https://a.example/3')].map((line) => `${line}\n`).join('')
    const again = await importReports(['--tenant', tenantId, '-'], whole)
    expect(JSON.parse(again.stdout)).toMatchObject({ posts: 3, stored: 3, rejected: 0 })
    expect(await countOf(tenantId)).toBe(3)
  })

  test('an import stopped at a silent named pipe ends at the first Ctrl-C, while its writer lives', async () => {
    const { tenantId } = await tenantWithSite('a.example')
    const path = join(folder, 'pipe')
    execFileSync('mkfifo', [path])
    const run = startCli(['import', 'reports', '--tenant', tenantId, path], { environment, folder })
    const writer = await open(path, 'w')
    await writer.write(`${post('https://a.example/1')}\n`)
    await expect.poll(() => countOf(tenantId), { interval: 100 }).toBe(1)
    run.kill('SIGINT')
    expect(await run.ended).toMatchObject({ code: 2, stderr: expect.stringContaining('Run the same command again') })
    await writer.close()
  })
})
