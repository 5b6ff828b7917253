import type { NextPage } from './page.ts'

/** Link header of a page (RFC 8288): the request's own target, without its host, which a proxy can have replaced. */
export function nextLink(requestUrl: string, { cursor, window }: NextPage): string {
  const { pathname, searchParams } = new URL(requestUrl)
  searchParams.set('cursor', cursor)
  if (window) {
    searchParams.delete('last')
    searchParams.set('from', new Date(window.from).toISOString())
    searchParams.set('to', new Date(window.to).toISOString())
  }
  return `<${pathname}?${searchParams}>; rel="next"`
}

/** Link header of an export in the order of storing, whose cursor replaces the window. */
export function resumeLink(requestUrl: string, after: string): string {
  const { pathname, searchParams } = new URL(requestUrl)
  for (const name of ['from', 'last']) searchParams.delete(name)
  searchParams.set('after', after)
  return `<${pathname}?${searchParams}>; rel="next"`
}
