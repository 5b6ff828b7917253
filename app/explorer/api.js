/** Requests to the API: one key, a tag for each request, and one pause for all after a 429 or a 503. */

const keyName = 'security-reporting-key'
const maxRetryAfterSeconds = 300

export const readKey = () => sessionStorage.getItem(keyName)
export const writeKey = (key) => sessionStorage.setItem(keyName, key)
export const forgetKey = () => sessionStorage.removeItem(keyName)

/** An error of the API, with its status and its message for people. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

export function targetOf(path, params = {}) {
  const set = Object.entries(params).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(set).toString()
  return search === '' ? path : `${path}?${search}`
}

/** For a terminal, with the key as a variable: a view is sent to colleagues, and the key is not. */
export const curlOf = (target) =>
  `curl -s -H "Authorization: Bearer $KEY" '${location.origin}${target.replaceAll("'", '%27')}'`

/** @param {(state: { pausedUntil: number, reason: string }) => void} onPause */
export function createApi(onPause) {
  /** By target: the last response and its tag. */
  const known = new Map()
  let pausedUntil = 0

  function pause(response, message) {
    const seconds = Math.min(Number(response.headers.get('Retry-After')) || 5, maxRetryAfterSeconds)
    pausedUntil = Math.max(pausedUntil, Date.now() + seconds * 1000)
    onPause({ pausedUntil, reason: message })
  }

  async function send(target, headers = {}) {
    const response = await fetch(target, { headers: { Authorization: `Bearer ${readKey()}`, ...headers } })
    if (response.ok || response.status === 304) return response
    const message = await response.json().then(
      ({ error }) => error.message,
      () => `The API answered ${response.status}`,
    )
    if (response.status === 429 || response.status === 503) pause(response, message)
    throw new ApiError(response.status, message)
  }

  return {
    isPaused: () => Date.now() < pausedUntil,
    /** The body, which is the same object as before where nothing changed. */
    async get(target) {
      const before = known.get(target)
      const response = await send(target, before ? { 'If-None-Match': before.etag } : {})
      if (response.status === 304) return before.body
      const body = await response.json()
      if (known.size > 100) known.clear()
      known.set(target, { etag: response.headers.get('ETag') ?? '', body })
      return body
    },
    /** Every item of a list, page by page to its end. */
    async all(target, onCount = () => {}) {
      const items = []
      for (let next = target; next; ) {
        const response = await send(next)
        items.push(...(await response.json()).data)
        onCount(items.length)
        next = response.headers.get('Link')?.match(/^<(.+)>; rel="next"$/)?.[1]
      }
      return items
    },
    /** A file, whole: a response that is cut off rejects. */
    blob: async (target) => (await send(target)).blob(),
  }
}
