import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const root = new URL('../..', import.meta.url).pathname

/** What a line about a failed test needs. */
export interface FailedTest {
  readonly file: string
  readonly project: string
  readonly title: string
  readonly messages: readonly string[]
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** vitest takes `-t` as a regular expression. */
const literal = (title: string) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The title, and the command that runs this test alone, with the seed of its random values if it printed one. */
export function repeatLines({ file, project, title, messages }: FailedTest): string {
  const command = file.startsWith('tests/faults/') || project === 'cluster' ? 'test:faults' : 'test'
  const [, seed] = /\bseed: (-?\d+)/.exec(messages.join('\n')) ?? []
  const line = `npm run ${command} -- --project ${project} ${file} -t ${quoted(literal(title))}`
  return `${title}\n  ${seed === undefined ? '' : `SEED=${seed} `}${line}`
}

const failed = (test: TestCase): FailedTest => ({
  file: relative(root, test.module.moduleId),
  project: test.project.name,
  // Of -t: suites and the test with a space between them.
  title: test.fullName.replaceAll(' > ', ' '),
  messages: test.result().errors?.map(({ message }) => message) ?? [],
})

/** Ends a run with how each failed test is repeated alone. */
export default class RepeatReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests('failed')])
    if (tests.length === 0) return
    process.stdout.write(`\nRepeat alone:\n${tests.map((test) => repeatLines(failed(test))).join('\n')}\n`)
  }
}
