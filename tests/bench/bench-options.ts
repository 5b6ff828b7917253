import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { option } from '../../app/cli/arguments.ts'
import { callersPath } from './run-command.ts'

/** A whole number with a default. */
export function integer<Flags extends string>(
  flags: Flags,
  [low, high]: readonly [low: number, high: number],
  fallback: number,
  about: string,
) {
  const takes = `a whole number from ${low} to ${high}`
  const schema = z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number)
    .pipe(z.int().min(low).max(high))
  return option(flags, { about, takes, schema }).default(fallback as number)
}

/** A text that can be missing. */
export const text = <Flags extends string>(flags: Flags, about: string, takes: string) =>
  option(flags, { about, takes, schema: z.string().min(1) })

/** How many reports a folder holds. */
export const rows = (fallback: number) => integer('--rows <N>', [10_000, 1_000_000_000], fallback, 'Reports')

/** The folder of the reports. */
export const data = text(
  '--data <DIR>',
  'Folder of the data',
  'a path (default: one of that many reports, in the system’s temporary folder)',
)

/** The folder that is meant. */
export const folderPath = ({ rows, data }: { readonly rows: number; readonly data?: string | undefined }): string =>
  data === undefined ? join(tmpdir(), `security-reporting-bench-${rows}`) : callersPath(data)

/** The file of the results. */
export const jsonFile = text('--json <FILE>', 'Where the results go as JSON', 'a path')
