// @ts-check

/** @typedef {{ name: string, required: boolean, schema: { examples?: unknown[] }, example?: unknown }} Parameter */
/** @typedef {{ paths: Record<string, { get: { parameters?: Parameter[] } }> }} Description */

/** The key is used after it, with examples or without. */
const patienceMs = 30_000

/**
 * The description with an example for each required parameter: identifiers of the key's first site, then those of the description.
 * @param {Description} description
 * @param {string} key empty for none
 * @returns {Promise<Description>}
 */
export async function withExamples(description, key) {
  const ids = key === '' ? {} : await readIds(key).catch(() => ({}))
  const copy = structuredClone(description)
  for (const { get } of Object.values(copy.paths)) {
    for (const parameter of get.parameters ?? []) {
      const example = /** @type {Record<string, unknown>} */ (ids)[parameter.name] ?? parameter.schema.examples?.[0]
      if (parameter.required && example !== undefined) parameter.example = example
    }
  }
  return copy
}

/**
 * Identifiers of the first site that has reports; five requests.
 * @param {string} key
 * @returns {Promise<Record<string, string | undefined>>}
 */
async function readIds(key) {
  const signal = AbortSignal.timeout(patienceMs)
  /** @param {string} path @returns {Promise<{ id: string, firstSeen?: string | null }[]>} */
  const read = async (path) => {
    const response = await fetch(path, { headers: { Authorization: `Bearer ${key}` }, signal })
    return response.ok ? (await response.json()).data : []
  }
  const sites = await read('/v1/sites?limit=50')
  const siteId = (sites.find(({ firstSeen }) => firstSeen) ?? sites[0])?.id
  if (siteId === undefined) return {}
  const site = `/v1/sites/${siteId}`
  const lists = ['issues', 'scripts', 'pages'].map((list) => read(`${site}/${list}?limit=1`))
  const [issueId, scriptId, pageId] = (await Promise.all(lists)).map(([first]) => first?.id)
  const [scan] = pageId === undefined ? [] : await read(`${site}/pages/${pageId}/scans?limit=1`)
  return { siteId, issueId, scriptId, pageId, scanId: scan?.id }
}
