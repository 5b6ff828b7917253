/**
 * @module Requests to the API: one key, one request in flight for a target, its tag, and one pause for all after a 429
 * or a 503.
 */

const keyName = 'security-reporting-key'
const maxRetryAfterSeconds = 300
const mostEntries = 100
const freshMs = 9_000

export const readKey = () => sessionStorage.getItem(keyName)
export const writeKey = (key: string) => sessionStorage.setItem(keyName, key)
export const forgetKey = () => sessionStorage.removeItem(keyName)

/** Response, and the target of the page that follows */
export type Page = { target: string; body: any; next?: string | undefined }
export type Entry = { page?: Page; etag?: string | undefined; error?: ApiError; readAt: number }

/** An error of the API, with its status and its message for people; status 0 without a response. */
export class ApiError extends Error {
  readonly status: number
  readonly requestId: string

  constructor(status: number, message: string, requestId = '') {
    super(message)
    this.status = status
    this.requestId = requestId
  }
}

/** Target of the page that follows; undefined on the last. */
const nextOf = (response: any) => response.headers.get('Link')?.match(/^<(.+)>; rel="next"$/)?.[1]

/** A curl line with the key as a variable: views are sent to colleagues, keys are not. */
export const curlOf = (target: string) =>
  `curl -s -H "Authorization: Bearer $KEY" '${location.origin}${target.replaceAll("'", '%27')}'`

/** @param onChange of the status */
function createSender(onChange: () => void) {
  const status = { readAt: 0, pausedUntil: 0, reason: '', isAway: false, isUnauthorized: false }

  const changeStatus = (changes: any) => {
    Object.assign(status, changes)
    onChange()
  }

  async function send(target: string, init: { headers?: Record<string, string> } = {}) {
    const headers = { Authorization: `Bearer ${readKey()}`, ...init.headers }
    const response = await fetch(target, { ...init, headers }).catch((error) => {
      changeStatus({ isAway: true })
      throw new ApiError(0, 'Cannot reach the API', error.message)
    })
    if (response.ok || response.status === 304) {
      changeStatus({ readAt: Date.now(), isAway: false, isUnauthorized: false })
      return response
    }
    const { message, requestId } = await response.json().then(
      ({ error }) => error,
      () => ({ message: `The API’s status is ${response.status}` }),
    )
    if (response.status === 429 || response.status === 503) {
      const seconds = Math.min(Number(response.headers.get('Retry-After')) || 5, maxRetryAfterSeconds)
      changeStatus({ pausedUntil: Date.now() + seconds * 1000, reason: message })
    }
    if (response.status === 401) changeStatus({ isUnauthorized: true, reason: message })
    throw new ApiError(response.status, message, requestId ?? response.headers.get('X-Request-Id') ?? '')
  }

  return { status, changeStatus, send }
}

/** @param onChange of the status */
export function createApi(onChange: () => void) {
  const entries: Map<string, Entry> = new Map()
  const inFlight: Map<string, Promise<Page>> = new Map()
  const listeners: Map<string, Set<() => void>> = new Map()
  const { status, changeStatus, send } = createSender(onChange)

  async function read(target: string): Promise<Page> {
    const before = entries.get(target)
    try {
      const response = await send(target, before?.etag ? { headers: { 'If-None-Match': before.etag } } : {})
      const page =
        response.status === 304 && before?.page
          ? before.page
          : { target, body: await response.json(), next: nextOf(response) }
      const etag = response.status === 304 ? before?.etag : (response.headers.get('ETag') ?? undefined)
      entries.set(target, { page, etag, readAt: Date.now() })
      return page
    } catch (error) {
      entries.set(target, { ...before, error: error as ApiError, readAt: Date.now() })
      throw error
    } finally {
      inFlight.delete(target)
      drop()
      for (const listener of listeners.get(target) ?? []) listener()
    }
  }

  /** The oldest entries that no panel shows. */
  function drop() {
    for (const target of entries.keys()) {
      if (entries.size <= mostEntries) return
      if (!listeners.has(target)) entries.delete(target)
    }
  }

  function get(target: string) {
    const running = inFlight.get(target) ?? read(target)
    inFlight.set(target, running)
    return running
  }

  const isPaused = () => Date.now() < status.pausedUntil

  const isFresh = (target: string) => Date.now() - (entries.get(target)?.readAt ?? 0) < freshMs

  return {
    status,
    get,
    /** Discards data that was read with a key. */
    clear() {
      entries.clear()
      changeStatus({ readAt: 0, pausedUntil: 0, isAway: false, isUnauthorized: false, reason: '' })
    },
    peek: (target: string) => entries.get(target),
    /** Reads a target unless it was read just now; the listener runs after each read. */
    subscribe(target: string, listener: any) {
      const all = listeners.get(target) ?? new Set()
      listeners.set(target, all.add(listener))
      const entry = entries.get(target)
      if (!isPaused() && !(isFresh(target) && entry?.page)) get(target).catch(() => {})
      return () => {
        all.delete(listener)
        if (all.size === 0) listeners.delete(target)
      }
    },
    /**
     * Reads the data of all panels again, except for past windows and times.
     * @param all true to read past windows too, after a pause or a new key
     */
    poll(all: boolean = false) {
      if (document.hidden || isPaused() || !readKey()) return
      for (const target of listeners.keys()) {
        const isOpen = !/[?&](to|cursor|asOf)=/.test(target) || entries.get(target)?.error
        if (all || (isOpen && !isFresh(target))) get(target).catch(() => {})
      }
    },
    /** Every item of a list, page by page to its end. */
    async all(target: string, onCount: (count: number) => void = () => {}) {
      const items: any[] = []
      for (let next = target; next; ) {
        const response = await send(next)
        items.push(...(await response.json()).data)
        onCount(items.length)
        next = nextOf(response)
      }
      return items
    },
    /** A complete file: an interrupted response rejects. */
    blob: async (target: string) => (await send(target)).blob(),
  }
}
