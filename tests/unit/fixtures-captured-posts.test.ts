import { describe, expect, test } from 'vitest'
import { capturedLines, capturedPosts } from '../../fixtures/captured-posts.ts'
import { demoTenant } from '../../fixtures/demo-tenants.ts'

const stamp = /"receivedAt":"[^"]*"/
const captured = await gathered(capturedLines())

async function gathered(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

const rebased = (now: string): Promise<string[]> => gathered(capturedPosts({ now: new Date(now) }))

const timeOf = (line: string): number => Date.parse((JSON.parse(line) as { receivedAt: string }).receivedAt)

describe('captured posts', () => {
  test('keep their number, their order and every byte but the date', async () => {
    const moved = await rebased('2027-03-04T23:59:59.999Z')
    expect(moved.map((line) => line.replace(stamp, ''))).toEqual(captured.map((line) => line.replace(stamp, '')))
    const shifts = new Set(moved.map((line, index) => timeOf(line) - timeOf(captured[index] ?? '')))
    expect(shifts.size).toBe(1)
    expect([...shifts].every((shift) => shift % 86_400_000 === 0)).toBe(true)
  })

  test('fall on the day of now', async () => {
    const times = (await rebased('2027-03-04T23:59:59.999Z')).map(timeOf)
    expect(new Date(Math.max(...times)).toISOString()).toMatch(/^2027-03-04T/)
  })

  test('fall on the day before where they would be in the future', async () => {
    const times = (await rebased('2027-03-04T00:00:00.000Z')).map(timeOf)
    expect(new Date(Math.max(...times)).toISOString()).toMatch(/^2027-03-03T/)
  })

  test('are about hosts of the demo tenant only', () => {
    const hosts = new Set(demoTenant.sites.flatMap((site) => site.hosts))
    for (const line of captured) {
      const { body } = JSON.parse(line) as { body: unknown }
      for (const element of [body].flat()) {
        const report = element as {
          url?: string
          'csp-report'?: { 'document-uri': string }
        }
        expect(hosts).toContain(new URL(report['csp-report']?.['document-uri'] ?? report.url ?? '').host)
      }
    }
  })
})
