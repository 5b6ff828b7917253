import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

export interface Migration {
  /** 1, 2, 3 ... without a gap. */
  readonly version: number
  /** `0001_tenants`: the file's name without its ending. */
  readonly name: string
  /** Hexadecimal SHA-256 of the text with LF line ends, because a checkout may change them. */
  readonly checksum: string
  readonly statements: readonly string[]
}

const ownFolder = new URL('./migrations/', import.meta.url)

/** The migrations of a folder, by version. Throws for a wrong name or a gap in the versions. */
export async function readMigrations(folder: URL = ownFolder): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const [, digits] = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file) ?? []
      if (Number(digits) !== index + 1) {
        throw new Error(`${file} must be named NNNN_name.sql, and the next version is ${index + 1}`)
      }
      const text = (await readFile(new URL(file, folder), 'utf8')).replaceAll('\r\n', '\n')
      const name = file.slice(0, -'.sql'.length)
      return { version: index + 1, name, checksum: hash('sha256', text, 'hex'), statements: splitStatements(text) }
    }),
  )
}

/** Statements end with a semicolon at the end of a line; comments have separate lines. */
function splitStatements(text: string): string[] {
  const statements = text.replaceAll(/^--.*$/gm, '').split(/;$/m)
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}
