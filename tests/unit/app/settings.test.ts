import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { settingsTable } from '../../../app/settings.ts'

test('settings.md has the table that "doctor --settings" prints', async () => {
  const page = await readFile(new URL('../../../app/settings.md', import.meta.url), 'utf8')
  expect(page).toContain(settingsTable())
})

test('every row has a variable, a default, a meaning and values', () => {
  const rows = settingsTable().trimEnd().split('\n').slice(2)
  for (const row of rows) expect(row).toMatch(/^\| `[A-Z_0-9]+` \| [^|]* \| [^|]+ \| [^|]* \|$/)
  expect(rows).toContain('| `PORT` | 8787 | Port of the API | a port from 0 to 65535; 0 is any free port |')
})
