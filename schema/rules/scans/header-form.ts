import type { ComparedHeader } from '../../enumerations.ts'
import { comparableForm } from '../csp/csp-comparable-form.ts'

/** One header line's texts in comparable form, one for each policy. */
type LineForm = (line: string) => readonly string[]

const plain = (line: string) => line.replace(/\s+/g, ' ').trim().toLowerCase()

/** A comma separates policies like a line break. */
const policies: LineForm = (line) => line.split(',').map(comparableForm)

const members: LineForm = (line) => [line.split(',').map(plain).filter(Boolean).sort().join(', ')]

/** Queries can be response ids, as in Rule 50. */
const endpoints: LineForm = (line) => members(line.replace(/\?[^"]*/g, '?*'))

/** Headers with directives in any order. */
const policyForms: Partial<Readonly<Record<ComparedHeader, LineForm>>> = {
  'content-security-policy': policies,
  'content-security-policy-report-only': policies,
  'content-security-policy-meta': policies,
  'permissions-policy': members,
  'integrity-policy': members,
  'reporting-endpoints': endpoints,
}

/** Rule 63, idempotent; the lines of a repeated header are separated by line feeds. */
export function headerForm(header: ComparedHeader, value: string): string {
  const lineForm = policyForms[header] ?? ((line) => [plain(line)])
  const lines = value.split(/[\r\n]+/).flatMap(lineForm)
  return lines.filter(Boolean).sort().join('\n')
}
