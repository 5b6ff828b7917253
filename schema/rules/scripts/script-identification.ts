import type { LibraryIdentity, Script } from '../../responses/script.ts'
import { claimedLibrary, isSameLibrary } from './claimed-library.ts'

/** Rule 56. @param current of the latest hash; null: not in the index; undefined: every sighting was unhashed. */
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
