/**
 * @module Saved queries as SQL files, clickhouse/saved-queries/NAME.sql. Comments before the statement declare a query:
 * its question, then a line `-- name = default: meaning` for each parameter, or `-- name: meaning` for a required one.
 */

import { readdir, readFile } from 'node:fs/promises'

interface Parameter {
  readonly name: string
  /** Default in ClickHouse's form, \N for NULL. Undefined if the parameter is required. */
  readonly fallback: string | undefined
  readonly about: string
}

export interface SavedQuery {
  /** The file's name without `.sql`. */
  readonly name: string
  readonly question: string
  readonly parameters: readonly Parameter[]
  /** The whole file. */
  readonly statement: string
}

const folder = new URL('./', import.meta.url)

/** All saved queries by name. Throws for a file whose comments declare no question or an invalid parameter. */
export async function readSavedQueries(): Promise<SavedQuery[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => {
      const statement = await readFile(new URL(file, folder), 'utf8')
      const [, question, declared = ''] = /^-- (\S.*\?)\n((?:-- .*\n)*)/.exec(statement) ?? []
      if (question === undefined) throw new Error(`${file} must begin with "-- " and a question`)
      const parameters = declared
        .split('\n')
        .filter(Boolean)
        .map((line) => toParameter(file, line))
      return { name: file.slice(0, -'.sql'.length), question, parameters, statement }
    }),
  )
}

function toParameter(file: string, line: string): Parameter {
  const [, name, fallback, about] = /^-- (\w+)(?: = (\S+))?: (.+)$/.exec(line) ?? []
  if (name === undefined || about === undefined) {
    throw new Error(`${file}: a parameter is declared as "-- name = default: meaning", not ${JSON.stringify(line)}`)
  }
  return { name, fallback, about }
}

/** Throws if there is no query with the name. */
export function findSavedQuery(queries: readonly SavedQuery[], name: string): SavedQuery {
  const found = queries.find((query) => query.name === name)
  if (!found) {
    const names = queries.map((query) => query.name).join(', ')
    throw new Error(`There is no saved query ${JSON.stringify(name)}; the saved queries are ${names}`)
  }
  return found
}

/** Values to bind, null for NULL. Throws for a value of an unknown parameter, and for a missing one. */
export function parameterValues(
  { name, parameters }: SavedQuery,
  given: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const names = parameters.map((parameter) => parameter.name)
  const unknown = Object.keys(given).find((key) => !names.includes(key))
  if (unknown !== undefined) {
    const allowed = names.length > 0 ? `allowed: ${names.join(', ')}` : 'it has none'
    throw new Error(`${name} has no parameter ${JSON.stringify(unknown)}; ${allowed}`)
  }
  return Object.fromEntries(
    parameters.map(({ name: key, fallback, about }) => {
      const value = given[key] ?? (fallback === '\\N' ? null : fallback)
      if (value === undefined) throw new Error(`${name} needs --param ${key}=VALUE: ${about}`)
      return [key, value]
    }),
  )
}

/** Lines for people: name, question and parameters. */
export function describeSavedQuery({ name, question, parameters }: SavedQuery): string[] {
  const lines = parameters.map(({ name: key, fallback, about }) => {
    const given = fallback === undefined ? 'required' : fallback === '\\N' ? 'default: all' : `default: ${fallback}`
    return `    --param ${key}=VALUE  ${about} (${given})`
  })
  return [name, `    ${question}`, ...lines]
}
