import type { z } from 'zod'
import { quoteInput } from './quote-input.ts'

/**
 * Message of a 400: every unknown parameter, then the first four other errors (Rule 8).
 * @param input raw text, or an array where a parameter was repeated.
 */
export function validationMessage(
  error: z.core.$ZodError,
  input: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): string {
  const unknown: string[] = []
  const messages = new Set<string>()
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      unknown.push(...issue.keys.map(quoteInput))
      continue
    }
    const parameter = String(issue.path[0])
    const value = input[parameter]
    if (Array.isArray(value)) messages.add(`${parameter} was given ${value.length} times; give it once`)
    else if (typeof value === 'string') messages.add(`${parameter} ${issue.message}, not ${quoteInput(value)}`)
    else messages.add(`${parameter} is required and ${issue.message}`)
  }
  const first = [...messages].slice(0, 4)
  if (unknown.length === 0) return first.join('. ')
  const names = allowed.length > 0 ? allowed.join(', ') : 'none'
  return [`This operation does not take ${unknown.join(', ')}; it takes ${names}`, ...first].join('. ')
}
