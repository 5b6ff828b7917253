import type { Script } from '../../../schema/responses/script.ts'

/** What a window has of a script's integrity. */
export interface IntegrityEvidence {
  /** Browsers reported an integrity violation of any of the site's scripts. */
  readonly reporting: boolean
  /** Browsers reported the script itself. */
  readonly reported: boolean
  /** When a browser last reported it loading without integrity metadata, and whether it was let through. */
  readonly violation: { readonly lastAt: string; readonly mode: 'report' | 'enforce' } | undefined
  /**
   * Whether on each payment page the latest scan that found the script found integrity metadata on all its tags; undefined
   * where none found it.
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

/**
 * Whether a script is only ever loaded with integrity metadata (contract, Script). A violation outweighs what scans found,
 * and a tag without integrity outweighs that browsers reported none. Without any integrity report of the site nothing is
 * claimed.
 */
export function scriptCoverage({ reporting, reported, violation, tagsHaveIntegrity }: IntegrityEvidence): Coverage {
  if (violation) {
    return { state: 'unprotected', decidedBy: 'reports', lastUnprotectedAt: violation.lastAt, mode: violation.mode }
  }
  if (!reporting) return decided('unknown', null)
  if (tagsHaveIntegrity === false) return decided('unprotected', 'scan')
  if (reported) return decided('protected', 'reports')
  return tagsHaveIntegrity ? decided('protected', 'scan') : decided('unknown', null)
}
