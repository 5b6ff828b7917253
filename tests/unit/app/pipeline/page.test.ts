import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoints } from '../../../../app/endpoints/all.ts'
import { createCursorDecoder } from '../../../../app/pipeline/cursor.ts'
import { createPage, wholeListPage } from '../../../../app/pipeline/page.ts'
import { latestFirst, timePosition } from '../../../../app/pipeline/time-position.ts'

const policy = { ...wholeListPage, position: timePosition('seenAt', z.string()) }

const seen = (id: string, second: number) => ({ id, seenAt: new Date(second * 1000).toISOString() })
const wholeList = { limit: 2, window: null, isWindowRequested: false, fingerprint: 'own' }
const never = { id: 'never', seenAt: null }

/** A page of two of a list that was read whole. */
function readPage(items: readonly { readonly id: string; readonly seenAt: string | null }[], after?: string | null) {
  const cursor = after ? createCursorDecoder(policy.position.schema, policy.maxDepth)(after, 'own') : undefined
  const { data, nextCursor } = createPage(policy, { ...wholeList, cursor }).sortAndCut(items, latestFirst('seenAt'))
  return { ids: data.map(({ id }) => id), nextCursor }
}

test('a list that was read whole is paged in its own order', () => {
  const items = [seen('c', 10), never, seen('b', 20), seen('a', 20), seen('d', 30)]
  const first = readPage(items)
  const second = readPage(items, first.nextCursor)
  const third = readPage(items, second.nextCursor)
  expect([first.ids, second.ids, third.ids]).toEqual([['d', 'a'], ['b', 'c'], ['never']])
  expect(third.nextCursor).toBeNull()
})

test('the next page begins after the last item, even when that is gone and others came before it', () => {
  const { ids, nextCursor } = readPage([seen('a', 30), seen('b', 20), seen('c', 10)])
  expect(ids).toEqual(['a', 'b'])
  expect(readPage([seen('new', 40), seen('a', 30), seen('c', 10)], nextCursor)).toEqual({
    ids: ['c'],
    nextCursor: null,
  })
})

test('past the greatest depth only the list of reports goes on, as groups would come again', () => {
  const goingOn = endpoints.filter(({ page }) => page?.position.timeOf !== undefined)
  expect(goingOn.map(({ name }) => name)).toEqual(['reports.list'])
  const window = { from: 0, to: 60_000 }
  const nextOf = (position: (typeof policy)['position']) => {
    const request = { ...wholeList, window, isWindowRequested: true, cursor: undefined }
    const page = createPage({ ...policy, position, maxDepth: 2 }, request)
    const { truncated, next } = page.cut([seen('c', 30), seen('b', 20), seen('a', 10)])
    return { truncated, window: next?.window }
  }
  expect(nextOf(policy.position)).toEqual({ truncated: true, window: undefined })
  expect(nextOf({ ...policy.position, timeOf: () => 20_000 })).toEqual({
    truncated: true,
    window: { from: 0, to: 20_001 },
  })
})

test.each([{ seenAt: '1970-01-01T00:00:20.000Z', id: 'b' }, { seenAt: -1, id: 'b' }, { seenAt: 20_000 }, { id: 'b' }])(
  'refuses the position %j',
  (position) => {
    expect(policy.position.schema.safeParse(position).success).toBe(false)
  },
)
