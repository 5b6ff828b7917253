import type { z } from 'zod'
import { echo } from './quote-input.ts'

/**
 * The message of a 400: every parameter that the operation does not take (contract, convention 6), then the first four
 * others that were refused, why, and what is allowed (decisions, Lists).
 * @param sent the raw parameters: text, or an array where one was repeated.
 * @param takes the parameters the operation takes.
 */
export function explain(
  error: z.core.$ZodError,
  sent: Readonly<Record<string, unknown>>,
  takes: readonly string[],
): string {
  const unknown: string[] = []
  const said = new Set<string>()
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      unknown.push(...issue.keys.map(echo))
      continue
    }
    const parameter = String(issue.path[0])
    const value = sent[parameter]
    if (Array.isArray(value)) said.add(`${parameter} was given ${value.length} times; give it once`)
    else if (typeof value === 'string') said.add(`${parameter} ${issue.message}, not ${echo(value)}`)
    else said.add(`${parameter} is required and ${issue.message}`)
  }
  const refused = [...said].slice(0, 4)
  if (unknown.length === 0) return refused.join('. ')
  const taken = takes.length > 0 ? takes.join(', ') : 'none'
  return [`This operation does not take ${unknown.join(', ')}; it takes ${taken}`, ...refused].join('. ')
}
