import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const pages = ['.', 'app', 'clickhouse', 'fixtures', 'queries', 'schema', 'tests'].flatMap((folder) =>
  readdirSync(join(root, folder), { encoding: 'utf8', recursive: folder !== '.' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file)),
)

const read = (page: string) => readFileSync(join(root, page), 'utf8')

test.each(pages.filter((page) => basename(page) === 'README.md'))('%s is within its lines', (page) => {
  expect(read(page).trimEnd().split('\n').length).toBeLessThanOrEqual(page === 'README.md' ? 150 : 120)
})

/** As GitHub makes one of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')

test.each(pages)('%s links files and headings that exist', (page) => {
  for (const [, link = ''] of read(page).matchAll(/\]\(([^()\s]+)\)/g)) {
    if (/^https?:/.test(link)) continue
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    expect(existsSync(resolve(root, target)), link).toBe(true)
    if (anchor === undefined) continue
    const anchors = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
    expect(anchors, link).toContain(anchor)
  }
})
