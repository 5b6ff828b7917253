import type { z } from 'zod'
import { echo } from '../echo.ts'

/**
 * The message of a 400: which parameters were refused, why, and what is allowed (decisions, Lists).
 * @param sent the raw parameters: text, or an array where one was repeated.
 * @param takes the parameters the operation takes.
 */
export function explain(
  error: z.core.$ZodError,
  sent: Readonly<Record<string, unknown>>,
  takes: readonly string[],
): string {
  const said = new Set<string>()
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      const takesText = takes.length > 0 ? `it takes ${takes.join(', ')}` : 'it takes none'
      for (const key of issue.keys) said.add(`${echo(key)} is not a parameter of this operation; ${takesText}`)
      continue
    }
    const parameter = String(issue.path[0])
    const value = sent[parameter]
    if (Array.isArray(value)) said.add(`${parameter} was given ${value.length} times; give it once`)
    else if (typeof value === 'string') said.add(`${parameter} ${issue.message}, not ${echo(value)}`)
    else said.add(`${parameter} is required and ${issue.message}`)
  }
  return [...said].slice(0, 5).join('. ')
}
