/** @module Command line options of both benchmarks. */

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { option } from '../../app/cli/command/arguments.ts'
import { resolveCallerPath } from './run-command.ts'

export function integerOption<Flags extends string>(
  flags: Flags,
  [min, max]: readonly [min: number, max: number],
  fallback: number,
  about: string,
) {
  const schema = z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
  return option(flags, { about, takes: `a whole number from ${min} to ${max}`, schema }).default(fallback as number)
}

export const textOption = <Flags extends string>(flags: Flags, about: string, takes: string) =>
  option(flags, { about, takes, schema: z.string().min(1) })

export const rowsOption = (fallback: number) =>
  integerOption('--rows <N>', [10_000, 1_000_000_000], fallback, 'Reports')

export const dataOption = textOption(
  '--data <DIR>',
  'Folder of the data',
  'a path (default: a folder for that many reports, in the system’s temporary folder)',
)

export const folderPath = ({ rows, data }: { readonly rows: number; readonly data?: string | undefined }): string =>
  data === undefined ? join(tmpdir(), `security-reporting-bench-${rows}`) : resolveCallerPath(data)

export const jsonOption = textOption('--json <FILE>', 'File for the results as JSON', 'a path')
