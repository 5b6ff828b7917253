import { type ScanGrade, scanGrades, type WatchedHeader, watchedHeaders } from '../../../schema/enumerations.ts'
import type { ScanChanges } from '../../../schema/responses/scan.ts'

export interface ComparableScan {
  readonly rubricVersion: number
  readonly grade: ScanGrade
  /** In comparable form; null if not sent. */
  readonly headers: Readonly<Record<WatchedHeader, string | null>>
}

export const noChanges: ScanChanges = { headers: [], gradeDroppedFrom: null, rebaselined: false }

/** Rule 62. @param before undefined for the first complete scan. */
export function scanChanges(scan: ComparableScan, before: ComparableScan | undefined): ScanChanges {
  if (!before) return noChanges
  const rebaselined = scan.rubricVersion !== before.rubricVersion
  const dropped = !rebaselined && scanGrades.indexOf(scan.grade) > scanGrades.indexOf(before.grade)
  return {
    headers: watchedHeaders.flatMap((header) => headerChange(header, before.headers[header], scan.headers[header])),
    gradeDroppedFrom: dropped ? before.grade : null,
    rebaselined,
  }
}

function headerChange(header: WatchedHeader, before: string | null, after: string | null): ScanChanges['headers'] {
  if (before === after) return []
  const change = before === null ? 'added' : after === null ? 'removed' : 'changed'
  return [{ header, change, before, after }]
}
