import type { ApiError, Page } from './api.ts'
import { useApp } from './app-context.ts'
import { useEffect, useRef, useState } from './html.ts'

/** State of a panel's request. */
export interface Read {
  target?: string | undefined
  /** Body of the latest response; undefined before the first */
  body: any
  /** Target of the page that follows */
  next?: string | undefined
  error?: ApiError | undefined
  /** The body is of an earlier view, until the response */
  isStale: boolean
  /** The body is of this view */
  isOfTarget: boolean
  /** Nothing to show yet */
  isLoading: boolean
}

/**
 * Reads a target now and whenever the page polls.
 * @param target nothing is read without
 */
export function useRead(target?: string): Read {
  const { api } = useApp()
  const [, rerender] = useState(0)
  const shown = useRef<Page | undefined>(undefined)
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

/** Reads a list that pages on. A later page freezes the window, so the list is as of its moment until `restart`. */
export function useList(target: string) {
  const { api } = useApp()
  const [later, setLater] = useState({
    of: '',
    first: undefined,
    pages: [],
  } as { of: string; first: any; pages: any[]; error?: Error; isBusy?: boolean })
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
      setLater({ of: target, first, pages, error: error as Error })
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
