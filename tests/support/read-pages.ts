import { expect } from 'vitest'
import type { TestApi } from './api.ts'
import { queryText } from './query-text.ts'
import type { TestKey } from './tenants.ts'

/** A list read to its end; `rest` has the fields beside `data`, the same on every page. */
export interface ReadList {
  // biome-ignore lint/suspicious/noExplicitAny: tests assert items of every operation
  readonly data: any[]
  readonly rest: Readonly<Record<string, unknown>>
}

/** Reads a list page by page, each with the same parameters. */
export async function readPages(
  api: TestApi,
  key: TestKey,
  path: string,
  params: Parameters<typeof queryText>[0],
): Promise<ReadList> {
  const query = new URLSearchParams(queryText(params))
  const data: unknown[] = []
  let beside: ReadList['rest'] | undefined
  let cursor: string | null
  do {
    const { status, body } = await api.get(`${path}?${query}`, { key })
    expect(body).not.toHaveProperty('error')
    expect(status).toBe(200)
    const { data: items, nextCursor, ...rest } = body
    beside ??= rest
    expect(rest).toEqual(beside)
    data.push(...items)
    cursor = nextCursor
    if (cursor !== null) {
      expect(items).toHaveLength(Number(query.get('limit') ?? 50))
      query.set('cursor', cursor)
    }
  } while (cursor !== null)
  return { data, rest: beside ?? {} }
}
