/** The statements of a migration, each of which ends with a semicolon at the end of a line; without comment lines. */
export function splitStatements(text: string): string[] {
  return text
    .replace(/^--.*$/gm, '')
    .split(/;$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
