import { expect, test } from 'vitest'
import { decideCapture } from '../../../../../app/worker/captures/decide-capture.ts'
import { createGuard } from '../../../../../app/worker/fetch/guard.ts'

/** What each step of the order is decided by, the first of them first. */
const steps = [
  ['unsupported_hash', { hash: 'sha384-x' }],
  ['captured', { size: 7 }],
  ['unknown_host', { isKnown: false }],
  ['not_allowed', { url: 'http://127.0.0.1/a.js' }],
  ['daily_cap', { fetchesLeft: 0 }],
  ['fetch', {}],
] as const

interface Facts {
  readonly hash?: string
  readonly size?: number
  readonly isKnown?: boolean
  readonly url?: string
  readonly fetchesLeft?: number
}

async function decide({ hash = 'sha256-x', size, isKnown = true, url, fetchesLeft = 1 }: Facts): Promise<string> {
  const verdict = await decideCapture(hash, new URL(url ?? 'https://cdn.example.com/a.js'), {
    copies: { sizeOf: async () => size },
    guard: createGuard([]),
    isKnownHost: () => isKnown,
    fetchesLeft,
  })
  return verdict?.reason ?? verdict?.state ?? 'fetch'
}

test.each(steps.map(([expected], index) => [expected, index] as const))(
  '%s is decided before all that follows, and after all before it',
  async (expected, index) => {
    const [own, ...later] = steps.slice(index).map(([, facts]) => facts)
    expect(await decide({ ...own })).toBe(expected)
    expect(await decide(Object.assign({}, ...later, own))).toBe(expected)
  },
)

test('bytes that are held are reused, and their size is known', async () => {
  const facts = { guard: createGuard([]), isKnownHost: () => false, fetchesLeft: 0 }
  expect(
    await decideCapture('sha256-x', new URL('https://a.test/'), { copies: { sizeOf: async () => 0 }, ...facts }),
  ).toEqual({ state: 'captured', size: 0, reused: true })
})
