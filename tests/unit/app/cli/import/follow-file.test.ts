import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { followFile } from '../../../../../app/cli/import/follow-file.ts'

/** The files that are followed, as text; `steps` happen one at each pause, and the last pause ends the run. */
async function followed(path: string, ...steps: (() => void)[]): Promise<string[]> {
  const ended = new AbortController()
  const texts: string[] = []
  const pause = async () => {
    const step = steps.shift()
    if (step) step()
    else ended.abort()
  }
  const following = { path, handle: await open(path), signal: ended.signal, onNewFile: () => {}, pause }
  for await (const file of followFile(following)) {
    let text = ''
    for await (const chunk of file) text += chunk
    texts.push(text)
  }
  return texts
}

function newFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'follow-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'posts.ndjson')
  writeFileSync(path, text)
  return path
}

test('a replaced file is read for as long as its writer has it open', async () => {
  const path = newFile('1')
  const old = `${path}.1`
  const texts = await followed(
    path,
    () => {
      renameSync(path, old)
      writeFileSync(path, 'new ')
    },
    ...['2', '3', '4'].map((text) => () => appendFileSync(old, text)),
    () => {},
    () => appendFileSync(path, 'file'),
  )
  expect(texts).toEqual(['1234', 'new file'])
})

test('a file that is gone is waited for', async () => {
  const path = newFile('1')
  const texts = await followed(
    path,
    () => rmSync(path),
    () => {},
    () => writeFileSync(path, '2'),
    () => {},
  )
  expect(texts).toEqual(['1', '2'])
})
