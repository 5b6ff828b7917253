import { readFileSync } from 'node:fs'

const read = (path: string) => readFileSync(new URL(`../../app/worker/alerts/${path}`, import.meta.url), 'utf8')

const namesIn = (text: string) => [...text.matchAll(/`(\w[\w.]*)`/g)].map(([, name = '']) => name)

/** Documented fields by the first names of the rows of both tables in the document of alerts. */
export const documentedFields = new Map(
  [...read('README.md').matchAll(/^\| (`[^|]*) \| ([^|]*) \|/gm)].flatMap(([, names = '', fields = '']) =>
    namesIn(names).map((name) => [name, namesIn(fields)] as const),
  ),
)

/** Fields of an interface of messages, without those of nested objects. */
export function fieldsOf(name: string): string[] {
  const [, body = ''] =
    read('alert-message.ts').match(new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`)) ?? []
  const [, data] = body.match(/readonly data: \{\n([\s\S]*)\n {2}\}/) ?? []
  return [...(data ?? body).matchAll(data ? /^ {4}readonly (\w+)/gm : /^ {2}readonly (\w+)/gm)].map(
    ([, one = '']) => one,
  )
}
