import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scrub } from '../../../../../app/import/records/scrub.ts'
import { numberOfCases } from '../../../../support/number-of-cases.ts'

const scrubbed = (text: string) => scrub(text, 4_000)

const replaced: [what: string, text: string, left: string][] = [
  [
    'a Slack webhook',
    'webhook answered 500 to https://hooks.slack.com/services/T024BE7LD/B024BE7LE/abcDEF123',
    'webhook answered 500 to [url]',
  ],
  ['a user, port, query and fragment', 'POST https://me:pa55@h.example:8443/x?t=a#f failed', 'POST [url] failed'],
  ['a scheme in capitals, a sentence’s end', 'See HTTPS://H.Example/a.', 'See [url].'],
  ['a URL in brackets and quotes', '(http://a.example/x), "wss://b.example"', '([url]), "[url]"'],
  ['a URL in JSON', '{"url":"https:\\/\\/h.example\\/T0","status":500}', '{"url":"[url]","status":500}'],
  ['a percent-encoded URL', 'next=https%3A%2F%2Fh.example%2Fx refused', 'next=[url] refused'],
  ['a URL without a scheme', '//cdn.example/x and h.example/services/T0?a=b#c, please', '[url] and [url], please'],
  ['a path alone', 'POST /services/T024BE7LD/x failed', 'POST [url] failed'],
  ['a share of Windows', '\\\\files\\alerts is away', '[url] is away'],
  ['a bare host', 'hooks.example.com refused', '[host] refused'],
  ['a host in capitals', 'HOOKS.Example.COM refused', '[host] refused'],
  ['a host with its port', 'hooks.example.com:8443 refused', '[host] refused'],
  ['a host at a sentence’s end', 'No such host: hooks.example.com.', 'No such host: [host]'],
  ['a host with a trailing dot', 'The name hooks.example.com. is gone', 'The name [host]. is gone'],
  ['a host behind an equals sign', 'host=db.internal,port=5432', 'host=[host],port=5432'],
  ['a possessive host', 'hooks.example.com’s certificate, a.example.com’s', '[host]’s certificate, [host]’s'],
  ['an IDN', 'bücher.example and xn--bcher-kva.example', '[host] and [host]'],
  ['an IDN of other scripts', '例え。テスト and пример.испытание and i❤️.ws', '[host] and [host] and [host]'],
  ['a host with an invisible character in it', 'hooks.exam\u200bple.com, soft\u00ad.example.com', '[host], [host]'],
  ['a wildcard of a certificate', 'valid for *.example.com only', 'valid for *.[host] only'],
  ['a host between dots', 'waiting...hooks.example.com...gone', 'waiting...[host]...gone'],
  [
    'a host that runs on',
    'h.example.com%2Fx, h.example.com_old, a.example+b.example',
    '[host]%2Fx, [host], [host]+[host]',
  ],
  ['localhost', 'localhost:3000 and LOCALHOST', '[host] and [host]'],
  ['a host that has no dot', 'getaddrinfo ENOTFOUND mailhost', 'getaddrinfo ENOTFOUND [host]'],
  [
    'a host that has no dot, with a port',
    'dial tcp redis:6379: connection refused',
    'dial tcp [host]: connection refused',
  ],
  [
    'a host that curl names',
    'Failed to connect to mx port 25: refused',
    'Failed to connect to [host] port 25: refused',
  ],
  ['a host that Go names', 'lookup hooks on 10.0.0.2:53: no such host', 'lookup [host] on [ip]: no such host'],
  ['a host that Java names', 'Connection refused: mailrelay/10.0.0.5:25', 'Connection refused: [host]/[ip]'],
  [
    'a host that Java does not know',
    'java.net.UnknownHostException: mailrelay',
    'java.net.UnknownHostException: [host]',
  ],
  [
    'a host that .NET does not know',
    "The remote name could not be resolved: 'mailrelay'",
    "The remote name could not be resolved: '[host]'",
  ],
  ['a host in a field of its own', 'hostname: mailhost', 'hostname: [host]'],
  ['an e-mail address', '550 5.1.1 <ops@example.com>: User unknown', '550 5.1.1 <[email]>: User unknown'],
  ['an e-mail address of any form', "o'brien+x@example.co.uk, ops@[192.0.2.1]", '[email], [email]'],
  ['an e-mail address with a quoted part', 'to "John Doe"@example.com', 'to [email]'],
  ['an internationalized e-mail address', 'ポスト@例え.テスト is full', '[email] is full'],
  ['an e-mail address without a dot', 'mail to root@localhost.', 'mail to [email].'],
  ['an IPv4 address', 'connect ECONNREFUSED 10.0.0.12:8080', 'connect ECONNREFUSED [ip]'],
  ['a network', 'denied to 192.168.0.0/16', 'denied to [ip]'],
  ['an IPv6 address', 'fe80::1%eth0 and 2001:DB8::7: refused', '[ip] and [ip]: refused'],
  ['an IPv6 address with its port', 'connect [2001:db8::7]:443', 'connect [ip]'],
  ['an IPv6 address around an IPv4 one', '::ffff:192.0.2.1 refused', '[ip] refused'],
  ['a bearer', 'Authorization: Bearer abc', 'Authorization: [token]'],
  ['a bearer alone', 'sent Bearer abc.def-ghi', 'sent Bearer [token]'],
  ['basic credentials', 'sent Basic dXNlcjpwYXNz', 'sent Basic [token]'],
  ['what is called a key or a password', 'api_key=12 password: "two words"', 'api_key=[token] password: [token]'],
  ['base64', 'got dXNlcg== and aGVsbG8gd29ybGQgMTIz', 'got [token] and [token]'],
  ['long hexadecimal', 'digest deadbeefdeadbeef of DEADBEEFDEADBEEF01', 'digest [token] of [token]'],
  ['a UUID', 'request 3f0c2a5e-8d41-4b6f-9a57-0c1d2e3f4a5b failed', 'request [token] failed'],
  ['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.5flKx-_w expired', '[token] expired'],
  [
    'keys with a known beginning',
    'xoxb-1-a ghp_ab sk_live_ab whsec_ab AKIA7 revoked',
    '[token] [token] [token] [token] [token] revoked',
  ],
  ['a bot’s token', 'bot 123456789:AAEhBOweik6ad6PsVERzA', 'bot 123456789:[token]'],
  ['letters in a random case', 'QwErTyUiOpAsDfGhJk was refused', '[token] was refused'],
  ['more than one line', 'failed\r\n\tat  https://h.example/\u0000\u2028x', 'failed at [url] x'],
]

const unchanged = [
  'Slack answered 429 Too Many Requests; retry-after:3600, attempt 3 of 5',
  'timed out after 10.5s (30000ms, 1m30s) at 12:30:45.123 on 2026-01-31',
  'TLSv1.3 alert: handshake failure; HTTP/1.1 502 and n/a, 24/7, TCP/IP',
  'error:1408F10B:SSL routines:ssl3_get_record:wrong version number',
  'java.net.SocketTimeoutException: connect timed out',
  'std::bad_alloc, errno:10061, 0x80090308, ERR_SSL_VERSION_OR_CIPHER_MISMATCH',
  '550 5.1.1 user unknown; 4.2.2 mailbox full',
  'invalid_token (channel_not_found) for csp.new_issue, e.g. this, i.e. that',
  'Bearer token expired. Basic auth failed: the digest was not sent',
  'timeout=30, port:8080, status:500, line:1234, @channel, #ops, a+b, 50 %',
  'Zertifikat abgelaufen: Überprüfung fehlgeschlagen; 証明書の有効期限が切れています',
  'destination was deleted before sending',
  'nothing to send to',
  '',
]

describe('scrub', () => {
  test.each(replaced)('scrub replaces %s', (_, text, left) => {
    expect(scrubbed(text)).toBe(left)
  })

  test.each(unchanged)('scrub does not change %j', (text) => {
    expect(scrubbed(text)).toBe(text)
  })

  test('scrub removes every place and secret, in any surrounding text', () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/)
    const secret = fc.stringMatching(/^[a-f]{3}[0-9][a-z0-9]{9}[A-Z]{2}$/)
    const host = fc
      .tuple(word, word, fc.constantFrom('com', 'internal', 'example', 'xn--p1ai'))
      .map((all) => all.join('.'))
    const ip = fc.oneof(
      fc.ipV4(),
      fc.ipV6().filter((text) => /[\da-f]/.test(text)),
    )
    const place = fc.oneof(
      fc.tuple(host, secret).map(([at, path]) => [`https://${at}/${path}?k=${path}`, at, path]),
      fc.tuple(host, secret).map(([at, path]) => [`${at}/${path}`, at, path]),
      fc.tuple(host, fc.integer({ min: 1, max: 65_535 })).map(([at, port]) => [`${at}:${port}`, at]),
      fc.tuple(word, host).map(([user, at]) => [`${user}@${at}`, `${user}@`, at]),
      ip.map((at) => [at, at]),
      ip.filter((at) => at.includes(':')).map((at) => [`[${at}]:443`, at]),
      secret.map((text) => [text, text]),
      secret.map((text) => [`token=${text}`, text]),
    )
    const around = fc.constantFrom(
      ' ',
      ', ',
      '; ',
      ' "',
      '" ',
      " '",
      "' ",
      ' (',
      ') ',
      ' <',
      '> ',
      ' = ',
      '. ',
      '\n',
      '\t',
    )
    const text = fc.array(fc.tuple(around, place, around, word), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(text, (parts) => {
        const left = scrubbed(parts.map(([before, [shown], after, next]) => before + shown + after + next).join(' '))
        for (const [, [, ...secrets]] of parts) for (const one of secrets) expect(left).not.toContain(one)
      }),
      { numRuns: numberOfCases(400) },
    )
  })

  test('scrub changes nothing the second time', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...replaced.map(([, one]) => one)),
      fc.webUrl(),
    )
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (parts) => {
        const once = scrubbed(parts.join(' '))
        expect(scrubbed(once)).toBe(once)
      }),
      { numRuns: numberOfCases(300), examples: [[["http://a.aa/'/@/a"]]] },
    )
  })

  test('scrub cuts to its limit and splits no character', () => {
    expect(scrub('abcdef', 3)).toBe('abc')
    expect(scrub('ab🛒', 3)).toBe('ab')
  })

  test('scrub is fast on text made to be slow', () => {
    const made = ['a', 'a.', 'a@', '"', ':', '/', '\\', 'key', 'key=', 'eyJ.', 'aA1', '%3a', 'a-', 'host:', '::1 ']
    for (const one of made) expect(scrubbed(one.repeat(4_000 / one.length)).length).toBeLessThanOrEqual(4_000)
  })
})
