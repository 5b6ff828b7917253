/** An object's members by their names in camelCase; undefined is "not known". */
export type Members<Name extends string> = Readonly<Record<Name, unknown>>

const abbreviations = new Set(['url', 'uri', 'id', 'ip'])

/** camelCase (documentUrl, documentURL), snake_case and kebab-case (payloads, Envelope). */
function spellings(name: string): string[] {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  const shouted = words.map((word, at) => {
    if (at === 0) return word
    return abbreviations.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)
  })
  return [name, shouted.join(''), words.join('_'), words.join('-')]
}

/**
 * Makes a reader of the members with these camelCase names, however a browser spells them. An empty string and null
 * are a missing member; of two spellings the first in the object stands.
 */
function memberReader<const Name extends string>(...names: Name[]): (source: object) => Members<Name> {
  const nameBySpelling = new Map(names.flatMap((name) => spellings(name).map((spelling) => [spelling, name] as const)))
  const none = Object.fromEntries(names.map((name) => [name, undefined])) as Record<Name, unknown>
  return (source) => {
    const members = { ...none }
    for (const key in source) {
      const name = nameBySpelling.get(key)
      if (name === undefined) continue
      const value = (source as Record<string, unknown>)[key]
      if (value !== null && value !== '' && members[name] === undefined) members[name] = value
    }
    return members
  }
}

/** Reads the members of a collector's line around a body. */
export const readWrapperMembers = memberReader('receivedAt', 'userAgent', 'site', 'sampleRate')

/** Reads the members of a report around its body. */
export const readEnvelopeMembers = memberReader('age', 'url', 'userAgent')

/** Reads the members that become fields out of a report's body, of any type. */
export const readBodyMembers = memberReader(
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
  'hash',
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
  'referrer',
  'reportOnly',
  'sample',
  'samplingFraction',
  'scriptSample',
  'serverIp',
  'sourceFile',
  'stack',
  'statusCode',
  'subresourceUrl',
  'type',
  'violatedDirective',
  'visibilityState',
)

/** The members of a report's body. */
export type BodyMembers = ReturnType<typeof readBodyMembers>

/** A member of a report's body. */
export type BodyMember = keyof BodyMembers
