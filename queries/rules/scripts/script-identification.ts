import type { Script } from '../../../schema/responses/script.ts'
import { claimedLibrary, isSameLibrary } from './claimed-library.ts'

/** What the index of public libraries holds of some bytes. */
export interface LibraryIdentity {
  readonly name: string
  /** The earliest release that holds the bytes: a lower bound. */
  readonly version: string
  /** Within the package. */
  readonly path: string
  readonly catalog: string
}

/**
 * What a script is by its bytes, and what its URL says instead where the two differ (contract, Script).
 * @param current the identity of the bytes seen last, null where the index does not hold them; undefined where every
 * sighting was unhashed.
 */
export function identifyScript(url: string, current: LibraryIdentity | null | undefined): Script['identification'] {
  if (!current) {
    const state = current === undefined ? 'unhashed' : 'unrecognised'
    return { state, package: null, catalog: null, claimed: null }
  }
  const { catalog, ...library } = current
  const claimed = claimedLibrary(url)
  return claimed && !isSameLibrary(claimed.name, current.name)
    ? { state: 'name_mismatch', package: library, catalog, claimed }
    : { state: 'identified', package: library, catalog, claimed: null }
}
