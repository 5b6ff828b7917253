import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSpool } from '../../../../app/collector/spool.ts'

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'spool-'))
})
afterAll(() => rm(parent, { recursive: true }))

const block = { token: 'a', stepToken: 'step', tenantIds: ['t1', 't2'], rows: Buffer.from('["é\\n"]\n[2]\n') }

test('a block is loaded as it was saved, by another spool of the folder, until it is removed', async () => {
  const folder = join(parent, 'made', 'where missing')
  await (await openSpool(folder)).save(block)
  const spool = await openSpool(folder)
  expect(await spool.list()).toEqual(['a'])
  expect(await spool.load('a')).toEqual(block)
  await spool.save({ ...block, rows: Buffer.alloc(0) })
  expect((await spool.load('a'))?.rows).toHaveLength(0)
  await spool.remove('a')
  await spool.remove('a')
  expect(await spool.list()).toEqual([])
})

test('a block cut off by a power failure is not loaded, and an unfinished file is removed', async () => {
  const folder = join(parent, 'cut')
  await (await openSpool(folder)).save(block)
  await writeFile(join(folder, 'b.block.new'), '{}')
  const spool = await openSpool(folder)
  expect(await readdir(folder)).toEqual(['a.block'])
  for (const length of [70, 20, 0]) {
    await truncate(join(folder, 'a.block'), length)
    expect(await spool.load('a')).toBeUndefined()
  }
})
