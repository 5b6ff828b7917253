/** Every member of a POST, a report or its body that the importer reads. */
const memberNames = [
  'age',
  'allowlist',
  'anticipatedRemoval',
  'blockedUri',
  'blockedUrl',
  'columnNumber',
  'connection',
  'destination',
  'disposition',
  'documentUri',
  'documentUrl',
  'effectiveDirective',
  'effectivePolicy',
  'elapsedTime',
  'featureId',
  'id',
  'initialPopupUrl',
  'isTopLevel',
  'lineNumber',
  'message',
  'method',
  'nextResponseUrl',
  'openedWindowUrl',
  'openeeUrl',
  'openerUrl',
  'originalPolicy',
  'otherDocumentUrl',
  'otherUrl',
  'pageVisibility',
  'phase',
  'policyId',
  'previousResponseUrl',
  'property',
  'protocol',
  'reason',
  'receivedAt',
  'referrer',
  'reportOnly',
  'sample',
  'sampleRate',
  'samplingFraction',
  'scriptSample',
  'serverIp',
  'site',
  'sourceFile',
  'stack',
  'statusCode',
  'type',
  'url',
  'userAgent',
  'violatedDirective',
  'visibilityState',
] as const

/** A member's name in camelCase, without capitals for abbreviations. */
export type MemberName = (typeof memberNames)[number]

/** The members of an object; undefined is "not known". */
export type Members = Readonly<Record<MemberName, unknown>>

const abbreviations = new Set(['url', 'uri', 'id', 'ip'])

/** camelCase (documentUrl, documentURL), snake_case and kebab-case (payloads, Envelope). */
function spellings(name: MemberName): string[] {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  const shouted = words.map((word, at) => {
    if (at === 0) return word
    return abbreviations.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)
  })
  return [name, shouted.join(''), words.join('_'), words.join('-')]
}

const nameBySpelling = new Map(memberNames.flatMap((name) => spellings(name).map((spelling) => [spelling, name])))

const none = Object.fromEntries(memberNames.map((name) => [name, undefined])) as Record<MemberName, unknown>

/** Reads the members of an object. An empty string and null are a missing member; of two spellings the first stands. */
export function readMembers(source: object): Members {
  const members = { ...none }
  for (const key in source) {
    const name = nameBySpelling.get(key)
    if (name === undefined) continue
    const value = (source as Record<string, unknown>)[key]
    if (value !== null && value !== '' && members[name] === undefined) members[name] = value
  }
  return members
}
