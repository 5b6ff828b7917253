import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { writtenDirectives } from '../../../queries/rules/csp/parse-policy.ts'
import { policyWarnings } from '../../../queries/rules/csp/policy-warnings.ts'
import type { Context } from '../command/context.ts'

const headerName = /^content-security-policy(-report-only)?\s*:/i

/** A policy of a file or of stdin; lines are joined, as a header has one. */
export async function readPolicy({ stdin, folder }: Pick<Context, 'stdin' | 'folder'>, file: string): Promise<string> {
  const written = file === '-' ? await text(stdin) : await readFile(resolve(folder, file), 'utf8')
  const policy = written.replaceAll(/[\t\n\f\r ]+/g, ' ').trim()
  const name = file === '-' ? 'stdin' : file
  if (policy === '') throw new Error(`${name} has no policy`)
  // A directive of that name is unknown, so that the rest of its line would go unchecked.
  if (headerName.test(policy)) throw new Error(`${name} begins with the name of the header; give its value alone`)
  // jq writes null where nothing is proposed, and a policy without directives reports nothing.
  if (!hasKnownDirective(policy)) throw new Error(`${name} has no directive that browsers know`)
  return policy
}

function hasKnownDirective(policy: string): boolean {
  const unknown = policyWarnings(policy).filter(({ kind }) => kind === 'unknown_directive')
  const names = new Set(unknown.map(({ directive }) => directive))
  return writtenDirectives(policy).some(({ name }) => !names.has(name))
}
