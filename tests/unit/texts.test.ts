/** @module Plain English: phrases that readers must translate are in no text, and comments begin with a noun or a verb. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { expect, test } from 'vitest'
import type { Context } from '../../app/cli/command/context.ts'
import { createProgram } from '../../app/cli/program.ts'
import { endpoints } from '../../app/endpoints/all.ts'
import { openApiDocument } from '../../app/openapi/document.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const forbidden = [
  'passed over',
  'stands for good',
  'as it was',
  'of before',
  'anew',
  'goes on',
  'is none of',
  'are none',
  'cut off',
  'one that',
  'those that',
  'nobody is told',
  'what it says',
  'the same of',
  'whoever',
  'less writing',
  'one too many',
]

const phrase = new RegExp(String.raw`\b(?:${forbidden.join('|')})\b|\bmeanwhile[.;,]`, 'i')

const firstWord = /^(?:Of|Those|That|What|Whose)\b/

const maxWords = 25

const folders = ['app', 'clickhouse', 'fixtures', 'queries', 'schema']

/** Migrations never change, and `pci verify` compares the texts of reports. */
const exceptions = [/migrations\//, /report-(?:texts|limits)\.ts$/, /CHANGELOG\.md$/, /app\/STYLE\.md$/, /\.build\//]

const files = [...folders, 'tests', '.'].flatMap((folder) =>
  readdirSync(join(root, folder), { encoding: 'utf8', recursive: folder !== '.' })
    .map((file) => join(folder, file))
    .filter((file) => (folders.includes(folder) ? /\.(?:ts|js|mjs|md|html|sql|yaml|xml)$/ : /\.md$/).test(file))
    .filter((file) => !exceptions.some((exception) => exception.test(file))),
)

const read = (file: string) => readFileSync(join(root, file), 'utf8')

const withPhrase = (text: string) => text.split('\n').filter((line) => phrase.test(line))

test.each(files)('%s has no forbidden phrase', (file) => {
  expect(withPhrase(read(file))).toEqual([])
})

test('no help of a command has a forbidden phrase', () => {
  const help: string[] = []
  const stdout = { write: (text: string) => help.push(text) }
  const print = (command: CommandUnknownOpts): void => {
    command.outputHelp()
    for (const inner of command.commands) print(inner)
  }
  print(createProgram({ stdout } as unknown as Context))
  expect(help.length).toBeGreaterThan(50)
  expect(withPhrase(help.join('\n'))).toEqual([])
})

test('no text of the OpenAPI document has a forbidden phrase', () => {
  expect(withPhrase(JSON.stringify(openApiDocument(endpoints), null, 2))).toEqual([])
})

/** Comments of a source file, without markers. Lines of one comment are joined. */
function commentsOf(source: string): string[] {
  const comments: string[] = []
  for (const [, block = '', line = ''] of source.matchAll(
    /^[ \t]*\/\*\*([\s\S]*?)\*\/|((?:^[ \t]*\/\/ [^\n]*\n)+)/gm,
  )) {
    const marker = block === '' ? /^[ \t]*\/\/ ?/gm : /^[ \t]*\* ?/gm
    comments.push((block || line).replaceAll(marker, '').replaceAll(/\s+/g, ' ').trim())
  }
  return comments
}

/** Sentences and clauses without JSDoc's types. Text in braces or backticks is one word. */
const sentencesOf = (comment: string) =>
  comment
    .replace(/^@module /, '')
    .split(/ ?@(?:param|returns|property|typedef|type|template)\b.*/)[0]
    ?.replaceAll(/`[^`]*`|\{[^}]*\}/g, 'x')
    .split(/[.:;!?](?= |$)/)
    .map((sentence) => sentence.trim()) ?? []

const sources = files.filter((file) => /\.(?:ts|js|mjs)$/.test(file))

test.each(sources)('comments of %s begin with a noun or a verb, in sentences of at most 25 words', (file) => {
  const sentences = commentsOf(read(file)).flatMap(sentencesOf)
  expect(sentences.filter((sentence) => firstWord.test(sentence))).toEqual([])
  expect(sentences.filter((sentence) => sentence.split(/\s+/).length > maxWords)).toEqual([])
})
