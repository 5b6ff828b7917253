import type { WatchedHeader } from '../../enumerations.ts'
import { comparableForm } from '../csp/csp-comparable-form.ts'

/** One header line's texts in comparable form, one for each policy. */
type LineForm = (line: string) => readonly string[]

const plain = (line: string) => line.replace(/\s+/g, ' ').trim().toLowerCase()

/** A comma separates policies like a line break. */
const policies: LineForm = (line) => line.split(',').map(comparableForm)

const permissions: LineForm = (line) => [line.split(',').map(plain).filter(Boolean).sort().join(', ')]

/** Headers with directives in any order. */
const policyForms: Partial<Readonly<Record<WatchedHeader, LineForm>>> = {
  'content-security-policy': policies,
  'content-security-policy-report-only': policies,
  'permissions-policy': permissions,
}

/** Rule 63, idempotent; the lines of a repeated header are separated by line feeds. */
export function headerForm(header: WatchedHeader, value: string): string {
  const lineForm = policyForms[header] ?? ((line) => [plain(line)])
  const lines = value.split(/[\r\n]+/).flatMap(lineForm)
  return lines.filter(Boolean).sort().join('\n')
}
