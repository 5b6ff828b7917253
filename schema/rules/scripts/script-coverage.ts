import type { Script } from '../../responses/script.ts'

export interface IntegrityEvidence {
  /** The site sent an integrity report. */
  readonly reporting: boolean
  /** Browsers reported the script itself. */
  readonly reported: boolean
  /** The last load without integrity metadata. */
  readonly violation: { readonly lastAt: string; readonly mode: 'report' | 'enforce' } | undefined
  /**
   * True if the tags in the latest scan of each payment page have it (Rule 58); undefined if no scan has the script.
   */
  readonly tagsHaveIntegrity: boolean | undefined
}

type Coverage = Script['coverage']

const decided = (state: Coverage['state'], decidedBy: Coverage['decidedBy']): Coverage => ({
  state,
  decidedBy,
  lastUnprotectedAt: null,
  mode: null,
})

/** Rule 57: a violation outweighs scans, a tag without integrity outweighs the absence of violations. */
export function scriptCoverage({ reporting, reported, violation, tagsHaveIntegrity }: IntegrityEvidence): Coverage {
  if (violation) {
    return { state: 'unprotected', decidedBy: 'reports', lastUnprotectedAt: violation.lastAt, mode: violation.mode }
  }
  if (!reporting) return decided('unknown', null)
  if (tagsHaveIntegrity === false) return decided('unprotected', 'scan')
  if (reported) return decided('protected', 'reports')
  return tagsHaveIntegrity ? decided('protected', 'scan') : decided('unknown', null)
}
