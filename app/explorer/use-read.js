// @ts-check
import { useApp } from './app-context.js'
import { useEffect, useRef, useState } from './html.js'

/**
 * State of a panel's request.
 * @typedef {object} Read
 * @property {string} [target]
 * @property {any} body of the latest response; undefined before the first
 * @property {string} [next] target of the page that follows
 * @property {import('./api.js').ApiError} [error]
 * @property {boolean} isStale the body is of an earlier view, until the response
 * @property {boolean} isOfTarget the body is of this view
 * @property {boolean} isLoading nothing to show yet
 */

/** Reads a target now and whenever the page polls. @param {string} [target] nothing is read without @returns {Read} */
export function useRead(target) {
  const { api } = useApp()
  const [, rerender] = useState(0)
  const shown = useRef(/** @type {import('./api.js').Page | undefined} */ (undefined))
  useEffect(() => (target ? api.subscribe(target, () => rerender((count) => count + 1)) : undefined), [target])
  const entry = target ? api.peek(target) : undefined
  if (entry?.page) shown.current = entry.page
  if (!target) shown.current = undefined
  const page = shown.current
  const isStale = page !== undefined && page.target !== target
  return {
    target,
    body: page?.body,
    next: page?.next,
    error: entry?.error,
    isStale: isStale && !entry?.error,
    isOfTarget: page?.target === target,
    isLoading: page === undefined && !entry?.error,
  }
}

/**
 * Reads a list that pages on. A later page freezes the window, so the list is as of its moment until `restart`.
 * @param {string} target
 */
export function useList(target) {
  const { api } = useApp()
  const [later, setLater] = useState(
    /** @type {{ of: string, first: any, pages: any[], error?: Error, isBusy?: boolean }} */ ({
      of: '',
      first: undefined,
      pages: [],
    }),
  )
  const isFrozen = later.of === target && later.pages.length > 0
  const read = useRead(target)
  const body = isFrozen ? later.first.body : read.body
  const pages = isFrozen ? later.pages : []
  const next = pages.length > 0 ? pages.at(-1).next : read.next
  async function more() {
    if (!next || later.isBusy) return
    const first = isFrozen ? later.first : { body: read.body }
    setLater({ of: target, first, pages, isBusy: true })
    try {
      const page = await api.get(next)
      setLater({ of: target, first, pages: [...pages, page] })
    } catch (error) {
      setLater({ of: target, first, pages, error: /** @type {Error} */ (error) })
    }
  }
  return {
    ...read,
    body,
    rows: body ? [...body.data, ...pages.flatMap((page) => page.body.data)] : [],
    hasMore: next !== undefined && !read.isStale,
    more,
    moreError: later.of === target ? later.error : undefined,
    isFrozen,
    restart: () => setLater({ of: '', first: undefined, pages: [] }),
  }
}
