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

/** Target of the page that follows; undefined on the last. */
const nextOf = (response) => response.headers.get('Link')?.match(/^<(.+)>; rel="next"$/)?.[1]

/** For a terminal, with the key as a variable: a view is sent to colleagues, and the key is not. */
export const curlOf = (target) =>
  `curl -s -H "Authorization: Bearer $KEY" '${location.origin}${target.replaceAll("'", '%27')}'`

/** @param {(state: { pausedUntil: number, reason: string }) => void} onPause */
export function createApi(onPause) {
  /** By target: the last page that it returned, and its tag. */
  const known = new Map()
  /** By target: the read in flight, for all panels that need it. */
  const inFlight = new Map()
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
      () => `The API’s status is ${response.status}`,
    )
    if (response.status === 429 || response.status === 503) pause(response, message)
    throw new ApiError(response.status, message)
  }

  async function read(target) {
    const before = known.get(target)
    const response = await send(target, before ? { 'If-None-Match': before.etag } : {})
    if (response.status === 304) return before.page
    const page = { body: await response.json(), next: nextOf(response) }
    if (known.size > 100) known.clear()
    known.set(target, { etag: response.headers.get('ETag') ?? '', page })
    return page
  }

  return {
    isPaused: () => Date.now() < pausedUntil,
    /** Body and next target; the same object as before if nothing changed. */
    get(target) {
      const running = inFlight.get(target) ?? read(target).finally(() => inFlight.delete(target))
      inFlight.set(target, running)
      return running
    },
    /** Every item of a list, page by page to its end. */
    async all(target, onCount = () => {}) {
      const items = []
      for (let next = target; next; ) {
        const response = await send(next)
        items.push(...(await response.json()).data)
        onCount(items.length)
        next = nextOf(response)
      }
      return items
    },
    /** A file, whole: a response that is cut off rejects. */
    blob: async (target) => (await send(target)).blob(),
  }
}
