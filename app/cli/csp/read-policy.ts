import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { policyFault } from '../../../schema/rules/csp/policy-fault.ts'
import type { Context } from '../command/context.ts'

/** Reads a policy from a file or stdin; its lines are joined into one header value. */
export async function readPolicy({ stdin, folder }: Pick<Context, 'stdin' | 'folder'>, file: string): Promise<string> {
  const written = file === '-' ? await text(stdin) : await readText(resolve(folder, file))
  const policy = written.replaceAll(/[\t\n\f\r ]+/g, ' ').trim()
  const fault = policyFault(policy)
  if (fault !== undefined) throw new Error(`${file === '-' ? 'stdin' : file} ${fault}`)
  return policy
}

/** Node's error of a folder has no path. */
const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: Error) => {
    throw Object.assign(error, { path })
  })
