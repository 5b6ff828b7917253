import type { WatchedHeader } from '../../../schema/enumerations.ts'
import { comparableForm } from '../csp/csp-comparable-form.ts'

/** What one line of a header says, in comparable form: nothing, one text, or one for each policy it holds. */
type LineForm = (line: string) => readonly string[]

const plain = (line: string) => line.replace(/\s+/g, ' ').trim().toLowerCase()

/** A comma parts two policies: one line with both is the same as two lines. */
const policies: LineForm = (line) => line.split(',').map(comparableForm)

const permissions: LineForm = (line) => [line.split(',').map(plain).filter(Boolean).sort().join(', ')]

/** Headers that hold directives in any order; of every other the whole value counts. */
const policyForms: Partial<Readonly<Record<WatchedHeader, LineForm>>> = {
  'content-security-policy': policies,
  'content-security-policy-report-only': policies,
  'permissions-policy': permissions,
}

/**
 * A watched header's value as every value that says the same is written (contract, Scan): a policy's directives sorted
 * and its nonces alike, other values in lower case, white space collapsed. A form is its own form.
 * @param value of a header sent several times, its lines parted by line feeds.
 */
export function headerForm(header: WatchedHeader, value: string): string {
  const lineForm = policyForms[header] ?? ((line) => [plain(line)])
  const lines = value.split(/[\r\n]+/).flatMap(lineForm)
  return lines.filter(Boolean).sort().join('\n')
}
