// @ts-check
/** @module Differences between the headers of two scans, by directive. */

/** @typedef {{ text: string, isOnly: boolean }} Part `isOnly`: the other scan lacks it */
/**
 * @typedef {{ name: string, before?: Part[], after?: Part[] }} DirectiveDiff undefined if a scan has no such directive
 */
/** @typedef {{ header: string, change: 'added' | 'removed' | 'changed', directives: DirectiveDiff[] }} HeaderDiff */

/** Separators of the directives of a header. */
const separators = { 'permissions-policy': ',', 'x-frame-options': ',', 'referrer-policy': ',' }

/**
 * @param {Record<string, string | null>} before @param {Record<string, string | null>} after
 * @returns {HeaderDiff[]}
 */
export function diffHeaders(before, after) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((header) => {
    const values = [before[header] ?? null, after[header] ?? null]
    if (values[0] === values[1]) return []
    const [from, to] = values.map((value) => directivesOf(header, value))
    const change = values[0] === null ? 'added' : values[1] === null ? 'removed' : 'changed'
    const names = [...new Set([...from.keys(), ...to.keys()])]
    const directives = names
      .filter((name) => from.get(name)?.join(' ') !== to.get(name)?.join(' '))
      .map((name) => ({
        name,
        before: marked(from.get(name), to.get(name)),
        after: marked(to.get(name), from.get(name)),
      }))
    return [{ header, change, directives }]
  })
}

/** @param {string} header @param {string | null} value @returns {Map<string, string[]>} values by name; a repeat counts on */
function directivesOf(header, value) {
  const directives = new Map()
  for (const text of (value ?? '').split(separators[header] ?? ';')) {
    const [, name, rest = ''] = /^([^\s=]+=?)(.*)$/s.exec(text.trim()) ?? []
    if (name) directives.set(name, [...(directives.get(name) ?? []), ...(rest.match(/\S+/g) ?? [])])
  }
  return directives
}

/** @param {string[] | undefined} values @param {string[] | undefined} others @returns {Part[] | undefined} */
const marked = (values, others) => values?.map((text) => ({ text, isOnly: !others?.includes(text) }))
