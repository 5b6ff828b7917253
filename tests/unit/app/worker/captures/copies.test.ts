import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openCopies } from '../../../../../app/worker/captures/copies.ts'
import { dayMs, hourMs } from '../../../../../schema/durations.ts'

const folder = mkdtempSync(join(tmpdir(), 'copies-'))
const copies = openCopies(folder)
afterAll(() => rmSync(folder, { recursive: true }))

const script = (text: string) => ({
  hash: `sha256-${createHash('sha256').update(text).digest('base64')}`,
  chunks: [...text].map((letter) => Buffer.from(letter)),
})

const pathOf = ({ hash }: { readonly hash: string }) => {
  const name = Buffer.from(hash.slice(7), 'base64').toString('hex')
  return join(folder, 'captures', name.slice(0, 2), name)
}

const age = (path: string, ms: number) => utimesSync(path, new Date(), new Date(Date.now() - ms))

test('bytes are held by their hash, written once, in a file that another cannot read', async () => {
  const one = script('alert(1)')
  expect([await copies.sizeOf(one.hash), await copies.get(one.hash)]).toEqual([undefined, undefined])
  expect([await copies.put(one), await copies.put(one)]).toEqual([true, false])
  expect([await copies.sizeOf(one.hash), String(await copies.get(one.hash))]).toEqual([8, 'alert(1)'])
  expect(readdirSync(join(pathOf(one), '..'))).toHaveLength(1)
})

test('a file of other bytes than its name says is no copy', async () => {
  const one = script('first')
  await copies.put(one)
  writeFileSync(pathOf(one), 'other')
  await expect(copies.get(one.hash)).rejects.toThrow(/do not match the hash in its name/)
})

test('a folder that cannot be written is found before anything is fetched', async () => {
  await copies.probe()
  writeFileSync(join(folder, 'file'), '')
  await expect(openCopies(join(folder, 'file')).probe()).rejects.toThrow('ENOTDIR')
})

test('a hash that is no SHA-256 names no file', async () => {
  for (const hash of ['sha384-x', 'sha256-../../x', 'sha256-']) {
    await expect(copies.sizeOf(hash)).rejects.toThrow('is not a SHA-256')
  }
})

test('once a week files go that no record names, and parts, but none of the last hour', async () => {
  const [named, unnamed, fresh] = [script('named'), script('unnamed'), script('fresh')]
  for (const one of [named, unnamed, fresh]) await copies.put(one)
  const part = `${pathOf(named)}.x.part`
  writeFileSync(part, 'na')
  for (const path of [pathOf(named), pathOf(unnamed), part]) age(path, 2 * hourMs)
  const listNamed = async () => new Set([named.hash])
  const swept = join(folder, 'captures', 'swept')

  await copies.sweep(listNamed)
  age(swept, 6 * dayMs)
  await copies.sweep(listNamed)
  expect([part, pathOf(unnamed)].map(existsSync)).toEqual([true, true])
  age(swept, 8 * dayMs)
  await copies.sweep(listNamed)
  expect([part, pathOf(unnamed)].map(existsSync)).toEqual([false, false])
  expect([named, fresh].map((one) => existsSync(pathOf(one)))).toEqual([true, true])
  await copies.put(unnamed)
  age(pathOf(unnamed), 2 * hourMs)
  await copies.sweep(listNamed)
  expect(existsSync(pathOf(unnamed))).toBe(true)
})
