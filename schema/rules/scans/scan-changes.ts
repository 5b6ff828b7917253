import { type ComparedHeader, comparedHeaders, type ScanGrade, scanGrades } from '../../enumerations.ts'
import type { ScanChanges } from '../../responses/scan.ts'
import { comparableForm } from '../csp/csp-comparable-form.ts'
import { isKnownDirective } from '../csp/governing-directive.ts'

export interface ComparableScan {
  readonly rubricVersion: number
  readonly grade: ScanGrade
  /** Comparable form; null if not sent, absent if the scan did not record the header. */
  readonly headers: Readonly<Partial<Record<ComparedHeader, string | null>>>
}

export const noChanges: ScanChanges = { headers: [], gradeDroppedFrom: null, rebaselined: false }

/** Rule 62. @param before undefined for the first complete scan. */
export function scanChanges(scan: ComparableScan, before: ComparableScan | undefined): ScanChanges {
  if (!before) return noChanges
  const rebaselined = scan.rubricVersion !== before.rubricVersion
  const dropped = !rebaselined && scanGrades.indexOf(scan.grade) > scanGrades.indexOf(before.grade)
  return {
    headers: comparedHeaders.flatMap((header) => headerChange(header, before.headers[header], scan.headers[header])),
    gradeDroppedFrom: dropped ? before.grade : null,
    rebaselined,
  }
}

type Value = string | null | undefined

function headerChange(header: ComparedHeader, before: Value, after: Value): ScanChanges['headers'] {
  if (before === after || before === undefined || after === undefined) return []
  if (before !== null && after !== null && comparedForm(header, before) === comparedForm(header, after)) return []
  const change = before === null ? 'added' : after === null ? 'removed' : 'changed'
  return [{ header, change, before, after }]
}

/** Sources in a list match in any order; the order of other values, such as those of report-uri, counts. */
function comparedPolicy(policy: string): string {
  // Forms of earlier releases have the queries of report-uri.
  const directives = comparableForm(policy)
    .split('; ')
    .map((directive) => {
      const [name = '', ...values] = directive.split(' ')
      return [name, ...(isKnownDirective(name) ? values.sort() : values)].join(' ')
    })
  return directives.join('; ')
}

const comparedLines: Partial<Readonly<Record<ComparedHeader, (line: string) => string>>> = {
  'content-security-policy': comparedPolicy,
  'content-security-policy-report-only': comparedPolicy,
  'content-security-policy-meta': comparedPolicy,
  'strict-transport-security': (line) => line.split(/ ?; ?/).sort().join(';'),
}

/** Compares a comparable form. */
function comparedForm(header: ComparedHeader, form: string): string {
  const lineForm = comparedLines[header]
  return lineForm ? form.split('\n').map(lineForm).sort().join('\n') : form
}
