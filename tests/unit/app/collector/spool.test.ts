import { mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSpool, SpoolError } from '../../../../app/collector/spool.ts'

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'spool-'))
})
afterAll(() => rm(parent, { recursive: true }))

const block = { token: 'a', stepToken: 'step', tenantIds: ['t1', 't2'], rows: Buffer.from('["é\\n"]\n[2]\n') }
const saved = { token: 'a', isWithdrawn: false }
const withdrawn = { token: 'a', isWithdrawn: true }

test('a block is loaded as it was saved, by another spool of the folder, until it is removed', async () => {
  const folder = join(parent, 'made', 'where missing')
  await (await openSpool(folder)).save(block)
  const spool = await openSpool(folder)
  expect(await spool.list()).toEqual([saved])
  expect(await spool.load(saved)).toEqual(block)
  await spool.remove('a')
  await spool.remove('a')
  expect(await spool.list()).toEqual([])
})

test('a block whose posts were refused is known as one by the next spool, and is removed too', async () => {
  const folder = join(parent, 'withdrawn')
  const first = await openSpool(folder)
  await first.save(block)
  await first.withdraw('a')
  const spool = await openSpool(folder)
  expect(await spool.list()).toEqual([withdrawn])
  expect(await spool.load(withdrawn)).toEqual(block)
  await spool.remove('a')
  expect(await readdir(folder)).toEqual([])
})

test('a block cut off by a power failure is not loaded but set aside, and an unfinished file is removed', async () => {
  const folder = join(parent, 'cut')
  await (await openSpool(folder)).save(block)
  await writeFile(join(folder, 'b.block.new'), '{}')
  const spool = await openSpool(folder)
  expect(await readdir(folder)).toEqual(['a.block'])
  for (const length of [70, 20, 0]) {
    await truncate(join(folder, 'a.block'), length)
    expect(await spool.load(saved)).toBeUndefined()
  }
  await spool.setAside(saved, 'unreadable')
  expect(await readdir(folder)).toEqual(['a.unreadable'])
})

test('folders and foreign files are no blocks', async () => {
  const folder = join(parent, 'folders')
  for (const name of ['lost+found', 'b.block', 'c.block.new', 'd.withdrawn']) {
    await mkdir(join(folder, name), { recursive: true })
  }
  await writeFile(join(folder, 'note.txt'), '')
  const spool = await openSpool(folder)
  await spool.save(block)
  expect(await spool.list()).toEqual([saved])
})

test('a folder that cannot be written is a SpoolError that names it; a probe finds that and leaves nothing', async () => {
  const folder = join(parent, 'gone')
  const spool = await openSpool(folder)
  await spool.probe()
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
  await writeFile(folder, '')
  for (const failing of [() => spool.probe(), () => spool.save(block), () => spool.list()]) {
    await expect(failing).rejects.toThrow(new SpoolError(`${folder}: ENOTDIR`))
  }
})

test('a stored block is in a folder of its own for ten minutes, however long it was on its way', async () => {
  const [folder, stored] = [join(parent, 'sent'), join(parent, 'stored')]
  const spool = await openSpool(folder, stored)
  for (const token of ['a', 'b']) {
    await spool.save({ ...block, token })
    await utimes(join(folder, `${token}.block`), 0, 0)
    await spool.moveToStored({ token, isWithdrawn: false })
  }
  await spool.removeOld()
  expect([await spool.list(), await readdir(folder)]).toEqual([[], []])
  expect(await spool.listStored()).toEqual(expect.arrayContaining(['a', 'b']))
  expect(await (await openSpool(folder, stored)).loadStored('a')).toEqual(block)
  const elevenMinutesAgo = new Date(Date.now() - 660_000)
  await utimes(join(stored, 'a.block'), elevenMinutesAgo, elevenMinutesAgo)
  await spool.removeOld()
  expect(await spool.listStored()).toEqual(['b'])
})

test('the boot of ClickHouse’s machine is that of the next spool, and what is stored counts from then', async () => {
  const [folder, stored] = [join(parent, 'booted'), join(parent, 'booted-stored')]
  const spool = await openSpool(folder, stored)
  expect(await spool.lastBoot()).toBeUndefined()
  await spool.save(block)
  await spool.moveToStored(saved)
  await utimes(join(stored, 'a.block'), 0, 0)
  await spool.saveBoot('1000')
  await spool.removeOld()
  const next = await openSpool(folder, stored)
  expect([await next.lastBoot(), await next.listStored()]).toEqual(['1000', ['a']])
})
