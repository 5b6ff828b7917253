import type { ListMatch } from './list-match.ts'
import type { ObservedRequest } from './observed-request.ts'
import type { SourceList } from './source-list.ts'

/** Maximum UTF-16 units of a name that browsers send. */
const nameLength = 40

const duplicates = "'allow-duplicates'"

/** Trusted Types, 4.1.2 for sinks and 4.1.3 for names of policies. */
export function matchTrustedTypes(
  list: SourceList,
  violated: SourceList | undefined,
  { directive, detail }: ObservedRequest,
): ListMatch {
  if (directive === 'require-trusted-types-for') {
    return list.keywords.has("'script'") ? undefined : { by: directive }
  }
  if (list.isNone) return undefined
  if (detail === undefined) return { unknown: 'detail' }
  const by = allowedName(list, detail)
  if (by === undefined) return undefined
  if (by === '' || list.keywords.has(duplicates)) return by === '' ? { unknown: 'trusted_types' } : { by }
  // Its own list has the name, so a policy of that name existed.
  return violated && allowedName(violated, detail) !== undefined ? { unknown: 'duplicate' } : { by }
}

/** '' if the sample does not decide. */
function allowedName({ values }: SourceList, name: string): string | undefined {
  if (values.includes('*')) return '*'
  if (name === '') return ''
  const found = values.find((value) => value === name)
  if (found !== undefined || name.length < nameLength) return found
  return values.some((value) => value.startsWith(name)) ? '' : undefined
}
