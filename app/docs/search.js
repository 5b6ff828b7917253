// @ts-check

/**
 * Operations that have every word in their path, summary, description or a parameter's name.
 * @param {any} tags immutable map of swagger-ui, by tag
 * @param {string} text
 */
export function searchOperations(tags, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  /** @param {any} entry @param {string} tag */
  const matches = (entry, tag) => {
    const operation = entry.get('operation')
    const parameters = (operation.get('parameters') ?? []).map((/** @type {any} */ parameter) => parameter.get('name'))
    const own = [tag, entry.get('path'), operation.get('summary'), operation.get('description'), ...parameters]
    const whole = own.join('\n').toLowerCase()
    return words.every((word) => whole.includes(word))
  }
  return tags
    .map((/** @type {any} */ group, /** @type {string} */ tag) =>
      group.update('operations', (/** @type {any} */ entries) =>
        entries.filter((/** @type {any} */ entry) => matches(entry, tag)),
      ),
    )
    .filter((/** @type {any} */ group) => group.get('operations').size > 0)
}
