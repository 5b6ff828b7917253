import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { isClosedAddress, isPublicAddress } from '../../../../../app/worker/fetch/addresses.ts'
import type { Guard } from '../../../../../app/worker/fetch/guard.ts'
import { outboundHost } from '../../../../../app/worker/fetch/outbound-hosts.ts'
import { testGuard } from '../../../../support/test-guard.ts'

const closed = testGuard({ allowed: [] })

const words = (text: string) => text.trim().split(/\s+/)

const refusal = (guard: Guard, url: string) => {
  try {
    guard.check(new URL(url))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** The addresses that the socket of a connection gets, or the error. */
const connected = (guard: Guard, url: string) =>
  new Promise<unknown>((resolve) => {
    const { hostname } = new URL(url)
    guard.lookup(new URL(url))(hostname, { all: true }, (error, addresses) => resolve(error?.message ?? addresses))
  })

describe('a URL', () => {
  test.each(
    words(`
      http://127.0.0.1/ http://2130706433/ http://0x7f.1/ http://0177.0.0.1/ http://127。0。0。1/ http://127.1/
      http://127.0.0.1./ http://１２７.0.0.1/ http://0/ http://8.8.8.8/ http://[::1]/ http://[::ffff:127.0.0.1]/
      http://[::ffff:7f00:1]/ http://[64:ff9b::7f00:1]/ http://[2606:4700::1111]/ http://[fd00:ec2::254]/
      http://169.254.169.254/ http://[::]/ http://[fe80::1]/ http://localhost/ http://LOCALHOST/ http://localhost./
      http://a.localhost/ http://router/ http://router./ http://printer.local/ http://db.internal/
      http://wiki.intranet/ http://nas.lan/ http://git.corp/ http://tv.home/ http://x.private/ http://x.home.arpa/
      http://abc.onion/ http://metadata.google.internal/ http://example.com:22/ https://example.com:6379/
      http://example.com:8123/ http://example.com:81/ http://user@example.com/ http://user:password@example.com/
      http://:password@example.com/ ftp://example.com/ file:///etc/passwd gopher://example.com/ data:text/html,a
      javascript:1
    `),
  )('%s is not allowed', (url) => {
    expect(refusal(closed, url)).toMatch(/^Not fetched: /)
  })

  test.each(
    words(`
      http://example.com/ https://example.com/ http://example.com:8080/ https://example.com:8443/
      https://example.com:443/ https://xn--bcher-kva.example/ https://example.com./
      https://a.notlocal/ http://localhost.example.com/
    `),
  )('%s is allowed', (url) => {
    expect(refusal(closed, url)).toBeUndefined()
  })
})

describe('an address', () => {
  test.each(
    words(`
      0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1
      172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
      240.0.0.1 255.255.255.255 168.63.129.16 :: ::1 ::7f00:1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 64:ff9b::808:808
      64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1
      fe80::1%eth0 fec0::1 ff02::1
    `),
  )('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(
    words(`
      1.1.1.1 8.8.8.8 93.184.215.14 172.32.0.1 2606:4700:4700::1111 2a00:1450:4001:80b::200e
    `),
  )('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each(
    words(`
      169.254.0.1 169.254.169.254 fe80::1 fe80::1%eth0 fd00:ec2::254 fd20:ce::254 168.63.129.16 100.100.100.200
      ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe:: ::a9fe:a9fe ::ffff:0:a9fe:a9fe
    `),
  )('%s stays closed to every setting', (address) => {
    expect(isClosedAddress(address)).toBe(true)
  })

  test.each(
    words(`
      10.0.0.1 127.0.0.1 192.168.1.1 fd00::1 ::1 8.8.8.8
    `),
  )('%s can be opened', (address) => {
    expect(isClosedAddress(address)).toBe(false)
  })
})

describe('a name', () => {
  const answering = (...answers: readonly (readonly string[])[]) => {
    let lookups = 0
    const resolve = async (): Promise<LookupAddress[]> => {
      const answer = answers[Math.min(lookups++, answers.length - 1)] ?? []
      return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    }
    return { resolve, lookups: () => lookups }
  }

  test('with one private address among public ones is not allowed, and the message has no address', async () => {
    for (const answer of [['10.0.0.7'], ['8.8.8.8', '10.0.0.7'], ['2606:4700::1', '::1']]) {
      const message = await connected(testGuard({ allowed: [], ...answering(answer) }), 'https://shop.example.com/')
      expect(message).toMatch(/not public; OUTBOUND_ALLOWED=shop\.example\.com would open it$/)
      expect(message).not.toContain('10.0.0.7')
    }
  })

  test('that changes between lookups gets one lookup a connection, and its addresses', async () => {
    const flips = answering(['8.8.8.8'], ['127.0.0.1'])
    const guard = testGuard({ allowed: [], resolve: flips.resolve })
    expect(await connected(guard, 'https://a.example.com/')).toEqual([{ address: '8.8.8.8', family: 4 }])
    expect(flips.lookups()).toBe(1)
    expect(await connected(guard, 'https://a.example.com/')).toMatch(/not public/)
  })

  test('that the setting names may have a private address, but none of a metadata service', async () => {
    const allowed = ['shop.corp.example.com']
    const inner = testGuard({ allowed, ...answering(['10.0.0.7']) })
    expect(await connected(inner, 'https://shop.corp.example.com/')).toEqual([{ address: '10.0.0.7', family: 4 }])
    for (const address of ['169.254.169.254', '64:ff9b::a9fe:a9fe', 'fd00:ec2::254']) {
      const metadata = testGuard({ allowed, ...answering([address]) })
      expect(await connected(metadata, 'https://shop.corp.example.com/')).toMatch(/OUTBOUND_ALLOWED does not change/)
    }
    expect(await connected(inner, 'https://other.example.com/')).toMatch(/not public/)
  })

  test('that the setting names with a port is private on every other port', async () => {
    const guard = testGuard({ allowed: ['shop.example.com:9443'], ...answering(['10.0.0.7']) })
    expect(await connected(guard, 'https://shop.example.com:9443/')).toEqual([{ address: '10.0.0.7', family: 4 }])
    for (const url of ['https://shop.example.com/', 'http://shop.example.com/']) {
      expect(await connected(guard, url)).toMatch(/not public; OUTBOUND_ALLOWED=shop\.example\.com would open it/)
    }
  })

  test('with a public address that has one of a metadata service in it is closed', async () => {
    const guard = testGuard({ allowed: [], ...answering(['2606:4700::a9fe:a9fe']) })
    expect(await connected(guard, 'https://a.example.com/')).toMatch(/OUTBOUND_ALLOWED does not change/)
  })
})

describe('OUTBOUND_ALLOWED', () => {
  test.each([
    ['127.0.0.1:8788', 'http://127.0.0.1:8788/', true],
    ['127.0.0.1:8788', 'http://127.0.0.1/', false],
    ['127.0.0.1:8788', 'http://2130706433:8788/', true],
    ['127.1:8788', 'http://127.0.0.1:8788/', true],
    ['127.0.0.1', 'http://127.0.0.1/', true],
    ['127.0.0.1', 'http://127.0.0.1:8788/', false],
    ['127.0.0.1:*', 'http://127.0.0.1:1/', true],
    ['localhost:*', 'http://127.0.0.1:1/', false],
    ['[::1]:8788', 'http://[0:0::1]:8788/', true],
    ['shop.corp', 'https://shop.corp/', true],
    ['shop.corp', 'https://a.shop.corp/', false],
    ['*.corp', 'https://shop.corp/', true],
    ['*.corp', 'https://corp/', false],
    ['*.corp', 'https://evilcorp/', false],
    ['SHOP.corp', 'https://shop.corp/', true],
    ['shop.corp', 'https://user@shop.corp/', false],
    ['shop.corp', 'ftp://shop.corp/', false],
    ['*.internal', 'http://metadata.google.internal/', false],
    ['*.internal:*', 'http://metadata.google.internal.:80/', false],
  ])('%s and %s: %s', (allowed, url, isAllowed) => {
    expect(refusal(testGuard({ allowed: [allowed] }), url) === undefined).toBe(isAllowed)
  })

  test.each([
    'http://169.254.169.254/',
    'http://[fd00:ec2::254]/',
    'http://168.63.129.16/',
    'http://metadata.goog/',
    'http://instance-data/',
  ])('opens nothing at %s', (url) => {
    expect(refusal(closed, url)).toMatch(/is link-local or a metadata service, which OUTBOUND_ALLOWED does not change$/)
    expect(outboundHost.safeParse(new URL(url).host).success).toBe(false)
  })

  test.each(['', 'http://a.example', 'a/b', 'a:99999', 'a:b', '*', '*.', 'a b', 'user@a.example', 'a.*.example'])(
    'takes no %j',
    (text) => {
      expect(outboundHost.safeParse(text).success).toBe(false)
    },
  )

  test('is named by each refusal that it can lift', () => {
    expect(refusal(closed, 'http://127.0.0.1:8788/')).toMatch(/OUTBOUND_ALLOWED=127\.0\.0\.1:8788 would open it/)
    expect(refusal(closed, 'http://[::1]/')).toMatch(/OUTBOUND_ALLOWED=\[::1\] would open it/)
    expect(refusal(closed, 'http://router/')).toMatch(/OUTBOUND_ALLOWED=router would open it/)
    expect(refusal(closed, 'http://example.com:22/')).toMatch(/OUTBOUND_ALLOWED=example\.com:22 would open it/)
  })
})
