import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Program, packages, whyMissing } from './ensure-installed.ts'

const tests = fileURLToPath(new URL('..', import.meta.url))

/** Files that start a program, themselves or by the modules of `support/` that they import. */
export function filesThatRun(program: Program): string[] {
  const files = readdirSync(tests, { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ path: join(tests, file), text: readFileSync(join(tests, file), 'utf8') }))
  const running = new Set(
    files.filter(({ text }) => text.includes(`ensureInstalled('${program}'`)).map(({ path }) => path),
  )
  const importsOne = ({ path, text }: { path: string; text: string }) =>
    [...text.matchAll(/from '(\.[^']+)'/g)].some(([, from = '']) => running.has(resolve(path, '..', from)))
  for (let before = -1; before !== running.size; ) {
    before = running.size
    for (const file of files) if (importsOne(file)) running.add(file.path)
  }
  return [...running].filter((path) => path.endsWith('.test.ts')).map((path) => relative(join(tests, '..'), path))
}

/** Files to skip because a program is missing, each reason printed once. Nothing is skipped if CI is set. */
export function skippedFiles(): string[] {
  if (process.env.CI !== undefined) return []
  return (Object.keys(packages) as Program[]).flatMap((program) => {
    const reason = program === 'redis-server' ? undefined : whyMissing(program)
    if (reason === undefined) return []
    const files = filesThatRun(program)
    process.stderr.write(`Skipped ${files.length} files: ${reason}\n`)
    return files
  })
}
