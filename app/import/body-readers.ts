import { scriptUrl } from '../../queries/rules/scripts/script-url.ts'
import { firstText, type Read, toNumber } from './member-values.ts'
import type { BodyMember, BodyMembers } from './members.ts'
import { urlParts } from './url-parts.ts'

/** Readers of members that mean something in one report type alone (payloads, Per type). */

/** The other party of an opener relation: the first that the browser names, in this order. */
const otherParties: readonly BodyMember[] = [
  'openerUrl',
  'openeeUrl',
  'openedWindowUrl',
  'otherDocumentUrl',
  'otherUrl',
  'nextResponseUrl',
  'previousResponseUrl',
  'initialPopupUrl',
  'referrer',
]

export const otherOrigin: Read<string> = (members) => urlParts(firstText(members, otherParties)).origin

/** The access and the property it was to. */
export const openerAccess: Read<string> = (members) => {
  const property = firstText(members, ['property'])
  return property === '' ? firstText(members, ['type']) : `${firstText(members, ['type'])}:${property}`
}

/** Anything outside (0, 1] is 1. */
export const samplingFraction: Read<number> = (members) => {
  const rate = toNumber(members.samplingFraction) ?? 1
  return rate > 0 && rate <= 1 ? rate : 1
}

/** Destinations that run what they load as a script; a browser that names none means one of them. */
const scriptLike = new Set(['', 'script', 'audioworklet', 'paintworklet', 'serviceworker', 'sharedworker', 'worker'])

/** The script that the first of some members names. */
export const namedScript = (...names: BodyMember[]): Read<string> => {
  return (members) => scriptUrl(firstText(members, names))
}

/** A violation of another destination is of no script. */
export const blockedScript: Read<string> = (members, url) =>
  firstText(members, ['destination']) === 'script' ? namedScript('blockedUrl', 'blockedUri')(members, url) : ''

/** Whether a hash is of no script, or of one that nothing names. */
export const hashesNoScript = (members: BodyMembers): boolean =>
  !scriptLike.has(firstText(members, ['destination'])) || namedScript('subresourceUrl')(members, '') === ''
