/** @module Values of generated reports, most frequent first. */

import type { ReportType } from '../../schema/report-types.ts'

const numbered = (count: number, write: (place: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => write(index + 1))

/** Distinct values of the big tenant. */
export const sizes = {
  sites: 8,
  smallTenants: 300,
  pages: 20_000,
  documentHosts: 200,
  blockedHosts: 2_000,
  blockedUrls: 3_000,
  scripts: 400,
  otherOrigins: 30,
  requestOrigins: 60,
  serverAddresses: 120,
} as const

/** The big tenant, then the small ones. */
export const tenantIds = numbered(sizes.smallTenants + 1, (place) => uuidOf('7', place))

/** The big tenant's sites, then the one of each small tenant. */
export const siteIds = numbered(sizes.sites + sizes.smallTenants, (place) => uuidOf('5', place))

function uuidOf(kind: string, place: number): string {
  return `be4c0000-0000-4000-8000-${kind}${String(place).padStart(11, '0')}`
}

/** Percent of the reports; a type without a share is not generated. */
export const typeShares: Readonly<Partial<Record<ReportType, number>>> = {
  'csp-violation': 70,
  'network-error': 8,
  deprecation: 6,
  'permissions-policy-violation': 4,
  crash: 3,
  'integrity-violation': 2,
  coep: 2,
  intervention: 2,
  coop: 1,
  'document-policy-violation': 1,
  'connection-allowlist': 1,
}

const systems = [
  ['Chrome', 'Windows', 'desktop'],
  ['Chrome', 'Android', 'mobile'],
  ['Safari', 'iOS', 'mobile'],
  ['Edge', 'Windows', 'desktop'],
  ['Chrome', 'macOS', 'desktop'],
  ['Safari', 'macOS', 'desktop'],
  ['Firefox', 'Windows', 'desktop'],
  ['Samsung Internet', 'Android', 'mobile'],
  ['Chrome', 'Linux', 'desktop'],
  ['Firefox', 'Linux', 'desktop'],
  ['Chrome', 'Chrome OS', 'desktop'],
  ['Firefox', 'Android', 'mobile'],
  ['Safari', 'iOS', 'tablet'],
  ['Opera', 'Windows', 'desktop'],
  ['Chrome', 'Android', 'tablet'],
  ['Edge', 'macOS', 'desktop'],
  ['Firefox', 'macOS', 'desktop'],
  ['Chrome WebView', 'Android', 'mobile'],
  ['', '', 'unknown'],
  ['Samsung Internet', 'Android', 'tablet'],
] as const

const versions = [143, 142, 139]

/** Browser, system, device and version: 60 combinations. */
export const browsers = versions.flatMap((version) => systems.map((system) => [...system, `${version}.0`] as const))

export const directives = [
  'script-src-elem',
  'img-src',
  'connect-src',
  'style-src-elem',
  'style-src-attr',
  'font-src',
  'frame-src',
  'script-src',
  'script-src-attr',
  'media-src',
  'worker-src',
  'form-action',
  'manifest-src',
  'base-uri',
  'child-src',
  'object-src',
] as const

export const features: Readonly<Partial<Record<ReportType, readonly string[]>>> = {
  'permissions-policy-violation': ['geolocation', 'camera', 'microphone', 'payment', 'fullscreen', 'autoplay', 'usb'],
  'document-policy-violation': ['js-profiling', 'document-write', 'unsized-media', 'force-load-at-top'],
  coep: ['corp', 'navigation', 'worker initialization'],
  coop: ['navigation-to-response', 'navigation-from-response', 'access-from-coop-page-to-opener:postMessage'],
  deprecation: numbered(40, (place) => `DeprecatedApi${place}`),
  intervention: numbered(6, (place) => `Intervention${place}`),
  'network-error': [
    'abandoned',
    'http.error',
    'tcp.timed_out',
    'tcp.reset',
    'dns.name_not_resolved',
    'tcp.closed',
    'tcp.refused',
    'tls.cert.date_invalid',
    'h2.protocol.error',
    'dns.failed',
  ],
  crash: ['oom', 'unresponsive', ''],
}

/** A policy's text before and after its nonce; one in three has a nonce. */
export const policies = Array.from({ length: 36 }, (_, index) => ({
  hasNonce: index % 3 === 0,
  head: `default-src 'self'; script-src 'self' https://static${index}.shop.test`,
  tail: [
    '',
    "img-src 'self' https://img.shop.test data:",
    `connect-src 'self' https://api${index % 7}.shop.test`,
    "style-src 'self' 'unsafe-inline'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    'report-to csp',
  ].join('; '),
}))

/** Sample rates and their weights in millionths, of a hundred reports. */
export const sampleRates = [
  ...Array.from({ length: 90 }, () => [1, 1_000_000] as const),
  ...Array.from({ length: 5 }, () => [0.5, 2_000_000] as const),
  ...Array.from({ length: 3 }, () => [0.1, 10_000_000] as const),
  ...Array.from({ length: 2 }, () => [0.3, 3_333_333] as const),
]
