import { describe, expect, test } from 'vitest'
import { reportTypeNames, reportTypeRows } from '../../../../../schema/report-types.ts'
import { fieldsOfType, report } from '../../../../../schema/responses/report.ts'
import type { StoredReport } from '../../../../../schema/stored-report.ts'
import { normalised, normalisedBody } from '../../../../support/normalised.ts'

const page = 'https://shop.example.test/cart?id=1'

/** What a report of a type, sent from `page`, has beside what every report has. */
const cases: readonly [name: string, type: string, body: object, stored: Partial<StoredReport>][] = [
  [
    'csp-violation, modern',
    'csp-violation',
    {
      documentURL: 'https://shop.example.test/checkout?step=2',
      referrer: 'https://search.example.test/?q=1#top',
      blockedURL: 'https://Ads.AdNet.test:443/tag.js?w=1#frag',
      effectiveDirective: 'script-src-elem',
      originalPolicy: "script-src 'self'",
      sourceFile: 'https://cdn.example.test/app.js?v=3#x',
      sample: 'alert(1)',
      disposition: 'enforce',
      statusCode: 200,
      lineNumber: 7,
      columnNumber: 9,
    },
    {
      documentUrl: 'https://shop.example.test/checkout?step=2',
      documentHost: 'shop.example.test',
      referrer: 'https://search.example.test/?q=1',
      blockedUrl: 'https://Ads.AdNet.test:443/tag.js?w=1',
      blockedHost: 'ads.adnet.test',
      blockedOrigin: 'https://ads.adnet.test',
      directive: 'script-src-elem',
      policy: "script-src 'self'",
      sourceFile: 'https://cdn.example.test/app.js',
      sample: 'alert(1)',
      disposition: 'enforce',
      statusCode: 200,
      lineNumber: 7,
      columnNumber: 9,
      feature: '',
      destination: '',
    },
  ],
  [
    'csp-violation without blockedURL (base-uri, data: frames)',
    'csp-violation',
    { documentURL: page, effectiveDirective: 'base-uri', disposition: 'report' },
    { blockedUrl: '', blockedHost: '', blockedOrigin: '', disposition: 'report' },
  ],
  [
    'integrity-violation, enforced',
    'integrity-violation',
    { documentURL: page, blockedURL: 'https://cdn.test/a.js', destination: 'script', reportOnly: false },
    {
      documentUrl: page,
      disposition: 'enforce',
      destination: 'script',
      blockedUrl: 'https://cdn.test/a.js',
      blockedHost: 'cdn.test',
      blockedOrigin: 'https://cdn.test',
    },
  ],
  ['integrity-violation, report only', 'integrity-violation', { reportOnly: true }, { disposition: 'report' }],
  ['integrity-violation, not said', 'integrity-violation', { destination: 'style' }, { disposition: '' }],
  [
    'coep',
    'coep',
    { type: 'corp', blockedURL: 'https://static.test/a.png', destination: 'image', disposition: 'reporting' },
    {
      documentUrl: page,
      feature: 'corp',
      blockedHost: 'static.test',
      blockedOrigin: 'https://static.test',
      destination: 'image',
      disposition: 'report',
    },
  ],
  [
    'coep, old member and no destination',
    'coep',
    { type: 'worker initialization', 'blocked-url': 'https://static.test/w.js', destination: '' },
    { feature: 'worker initialization', blockedUrl: 'https://static.test/w.js', destination: '', disposition: '' },
  ],
  [
    'coop, navigation',
    'coop',
    {
      type: 'navigation-to-response',
      disposition: 'enforce',
      effectivePolicy: 'same-origin',
      previousResponseURL: '',
      referrer: 'https://blog.example.test/post?a=1',
    },
    {
      feature: 'navigation-to-response',
      effectivePolicy: 'same-origin',
      otherOrigin: 'https://blog.example.test',
      referrer: 'https://blog.example.test/post?a=1',
      disposition: 'enforce',
    },
  ],
  [
    'coop, access with a property',
    'coop',
    {
      type: 'access-from-coop-page-to-openee',
      disposition: 'reporting',
      effectivePolicy: 'same-origin-plus-coep',
      property: 'postMessage',
      initialPopupURL: 'https://popup.test/first',
      openeeURL: 'https://openee.test:8443/x',
      sourceFile: 'https://shop.example.test/coop.js?v=1',
      lineNumber: 13,
      columnNumber: 35,
    },
    {
      feature: 'access-from-coop-page-to-openee:postMessage',
      otherOrigin: 'https://openee.test:8443',
      sourceFile: 'https://shop.example.test/coop.js',
      lineNumber: 13,
      columnNumber: 35,
    },
  ],
  [
    'permissions-policy-violation, Chromium',
    'permissions-policy-violation',
    { policyId: 'geolocation', message: 'not allowed', disposition: 'Enforce', sourceFile: page, lineNumber: 1 },
    {
      feature: 'geolocation',
      message: 'not allowed',
      disposition: 'enforce',
      sourceFile: 'https://shop.example.test/cart',
      lineNumber: 1,
      columnNumber: 0,
    },
  ],
  [
    'permissions-policy-violation, specification',
    'permissions-policy-violation',
    { featureId: 'camera', disposition: 'REPORT' },
    { feature: 'camera', disposition: 'report' },
  ],
  [
    'document-policy-violation with null members',
    'document-policy-violation',
    { policyId: 'js-profiling', message: null, disposition: 'enforce', sourceFile: null, lineNumber: null },
    { feature: 'js-profiling', message: '', sourceFile: '', lineNumber: 0 },
  ],
  [
    'connection-allowlist, a URL',
    'connection-allowlist',
    { connection: 'https://px.metrics.test:4433/wt', disposition: 'enforce' },
    {
      documentUrl: page,
      blockedUrl: 'https://px.metrics.test:4433/wt',
      blockedHost: 'px.metrics.test',
      blockedOrigin: 'https://px.metrics.test:4433',
    },
  ],
  [
    'connection-allowlist, a bare host',
    'connection-allowlist',
    { connection: 'Dns.Metrics.test', disposition: 'report', allowlist: ['https://a.test', 'https://b.test/*'] },
    { blockedHost: 'dns.metrics.test', blockedOrigin: '', policy: 'https://a.test https://b.test/*' },
  ],
  [
    'connection-allowlist, a bare host as a URL’s host is written',
    'connection-allowlist',
    { connection: 'BÜCHER.example:443' },
    { blockedUrl: 'BÜCHER.example:443', blockedHost: 'xn--bcher-kva.example', blockedOrigin: '' },
  ],
  [
    'connection-allowlist, a bare host with a port',
    'connection-allowlist',
    { connection: 'turn.metrics.test:3478' },
    { blockedHost: 'turn.metrics.test', blockedOrigin: '' },
  ],
  [
    'connection-allowlist, WebRTC',
    'connection-allowlist',
    { connection: 'webrtc', disposition: 'enforce' },
    { blockedUrl: 'webrtc', blockedHost: 'webrtc', blockedOrigin: '' },
  ],
  [
    'deprecation with a date',
    'deprecation',
    { id: 'WebSQL', anticipatedRemoval: '2027-03-01T00:00:00Z', message: 'going', disposition: 'enforce' },
    { feature: 'WebSQL', anticipatedRemoval: Date.UTC(2027, 2, 1), message: 'going', disposition: '' },
  ],
  [
    'deprecation with milliseconds',
    'deprecation',
    { id: 'WebSQL', anticipatedRemoval: 1_803_859_200_000 },
    { anticipatedRemoval: 1_803_859_200_000 },
  ],
  ['deprecation without a date', 'deprecation', { id: 'WebSQL' }, { anticipatedRemoval: null }],
  [
    'intervention',
    'intervention',
    { id: 'NavigatorVibrate', message: 'Blocked', sourceFile: 'https://a.test/x.js#y', lineNumber: '10' },
    { feature: 'NavigatorVibrate', message: 'Blocked', sourceFile: 'https://a.test/x.js', lineNumber: 10 },
  ],
  [
    'network-error',
    'network-error',
    {
      sampling_fraction: 0.25,
      elapsed_time: 0,
      phase: 'connection',
      type: 'tcp.timed_out',
      server_ip: '127.0.0.1',
      protocol: 'h2',
      method: 'POST',
      status_code: 0,
      referrer: 'https://shop.example.test/pay?x=1',
    },
    {
      documentUrl: 'https://shop.example.test/pay?x=1',
      requestUrl: page,
      sampleRate: 0.25,
      weight: 4_000_000,
      elapsedMs: 0,
      phase: 'connection',
      feature: 'tcp.timed_out',
      serverIp: '127.0.0.1',
      protocol: 'h2',
      method: 'POST',
      statusCode: 0,
      disposition: '',
    },
  ],
  [
    'network-error without a referrer',
    'network-error',
    { type: 'dns.name_not_resolved', phase: 'dns', referrer: '', status_code: 503 },
    { documentUrl: '', documentHost: '', referrer: '', statusCode: 503, elapsedMs: null, weight: 1_000_000 },
  ],
  [
    'crash',
    'crash',
    { reason: 'oom', stack: 'at f()', is_top_level: false, visibility_state: 'hidden' },
    { feature: 'oom', stack: 'at f()', isTopLevel: false, visibilityState: 'hidden', disposition: '' },
  ],
  [
    'crash of an older browser, for no known reason',
    'crash',
    { page_visibility: 'visible' },
    { feature: '', isTopLevel: null, visibilityState: 'visible' },
  ],
]

describe('a report’s body', () => {
  test.each(cases)('a body is mapped: %s', (_name, type, body, stored) => {
    expect(normalisedBody(type, body, page)).toMatchObject({ reportType: type, ...stored })
  })

  test('a legacy csp-report is read as a csp-violation', () => {
    const line = {
      'csp-report': {
        'document-uri': 'https://blog.example.test/post?p=2',
        referrer: '',
        'blocked-uri': 'wasm-eval',
        'violated-directive': "script-src 'self' https://cdn.test",
        'effective-directive': '',
        'original-policy': "script-src 'self'",
        disposition: 'report',
        'status-code': 200,
        'script-sample': 'x',
        'source-file': 'https://blog.example.test/app.js?v=1',
        'line-number': '29',
        'column-number': 0,
      },
    }
    expect(normalised(line)).toMatchObject([
      {
        reportType: 'csp-violation',
        documentUrl: 'https://blog.example.test/post?p=2',
        documentHost: 'blog.example.test',
        blockedUrl: 'wasm-eval',
        blockedHost: 'wasm-eval',
        directive: 'script-src',
        policy: "script-src 'self'",
        disposition: 'report',
        statusCode: 200,
        sample: 'x',
        sourceFile: 'https://blog.example.test/app.js',
        lineNumber: 29,
        columnNumber: 0,
        ageMs: 0,
      },
    ])
  })

  test('a csp-report of Safari has no disposition', () => {
    const report = { 'document-uri': page, 'violated-directive': 'img-src', 'blocked-uri': 'https://a.test' }
    expect(normalised({ 'csp-report': report })).toMatchObject([{ disposition: '', directive: 'img-src' }])
  })
})

test.each(reportTypeNames)('a list has every field that the mapping fills: %s', (type) => {
  const filled = Object.keys(reportTypeRows[type].body).filter((field) => Object.hasOwn(report.shape, field))
  const derived = filled.includes('blockedUrl') ? ['blockedHost', 'blockedOrigin'] : []
  expect(fieldsOfType(type)).toEqual(expect.arrayContaining([...filled, ...derived]))
  const own = fieldsOfType(type).filter((field) => report.shape[field].isNullable())
  expect(own).toHaveLength(new Set([...filled, ...derived]).size - 1)
})

test('every field of a report is one of some type', () => {
  expect(new Set(reportTypeNames.flatMap(fieldsOfType))).toEqual(new Set(Object.keys(report.shape)))
})
