import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Argument } from '../../app/cli/command.ts'
import { callersPath } from './run-command.ts'

/** A whole number with a default. */
export function integer(low: number, high: number, fallback: number, about: string): Argument<number> {
  const shape = z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number)
    .pipe(z.int().min(low).max(high))
    .default(fallback)
  return { shape, hint: 'N', about, takes: `a whole number from ${low} to ${high} (default ${fallback})` }
}

/** A text that can be left out. */
export const optional = (hint: string, about: string, takes: string): Argument<string | undefined> => ({
  shape: z.string().min(1).optional(),
  hint,
  about,
  takes,
})

/** How many reports a folder holds. */
export const rows = (fallback: number): Argument<number> => integer(10_000, 1_000_000_000, fallback, 'Reports')

/** Where the reports lie. */
export const data = optional(
  'DIR',
  'Folder of the data',
  'a path (default: one of that many reports, in the system’s temporary folder)',
)

/** The folder that is meant. */
export const folderPath = ({ rows, data }: { readonly rows: number; readonly data: string | undefined }): string =>
  data === undefined ? join(tmpdir(), `security-reporting-bench-${rows}`) : callersPath(data)

/** Where results go. */
export const jsonFile = optional('FILE', 'Where the results go as JSON', 'a path')
