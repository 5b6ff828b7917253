import { type ReportType, reportTypeNames, reportTypeRows } from '../../schema/report-types.ts'
import { type StoredReport, storedFieldRows } from '../../schema/stored-report.ts'
import {
  browsers,
  directives,
  features,
  policies,
  sampleRates,
  siteIds,
  sizes,
  tenantIds,
  typeShares,
} from './generated-values.ts'
import { at, chance, drawColumns, list, quoted, uniform, zipf, zipfBy, zipfExponent } from './sql-draws.ts'

const placeOf = (type: ReportType) => reportTypeNames.indexOf(type) + 1
const isOf = (...types: readonly ReportType[]) => `type IN (${types.map(placeOf).join(', ')})`
const byType = (cases: readonly (readonly [readonly ReportType[], string])[], otherwise = `''`) =>
  `multiIf(${cases.map(([types, value]) => `${isOf(...types)}, ${value}`).join(', ')}, ${otherwise})`

const typePlaces = reportTypeNames.flatMap((type) => Array.from({ length: typeShares[type] ?? 0 }, () => placeOf(type)))
const ofType = (holds: (row: (typeof reportTypeRows)[ReportType]) => boolean) =>
  reportTypeNames.filter((type) => holds(reportTypeRows[type]))

const blockedTypes: readonly ReportType[] = ['integrity-violation', 'coep', 'connection-allowlist']
const scripted: readonly ReportType[] = [
  ...['csp-violation', 'permissions-policy-violation', 'document-policy-violation'],
  ...['deprecation', 'intervention'],
] as readonly ReportType[]

/** By the importer's rules, in `schema/report-types.ts`. */
function issuePart(part: 'subject' | 'host'): string {
  const cases = ofType(({ issue }) => issue !== undefined).map((type) => {
    const { subject, hostOf } = reportTypeRows[type].issue ?? { subject: { word: '' }, hostOf: 'blockedUrl' }
    const host = hostOf === 'blockedUrl' ? 'blocked_host' : `domain(${storedFieldRows[hostOf].column})`
    const about = typeof subject === 'string' ? storedFieldRows[subject].column : quoted(subject.word)
    return [[type], part === 'subject' ? about : host] as const
  })
  return byType(cases)
}

// One list of all types' features with offsets is cheaper to evaluate than a branch for each type.
const featuresOf = reportTypeNames.map((type): readonly string[] => features[type] ?? [''])
const startOf = (index: number) => featuresOf.slice(0, index).flat().length
const byPlace = (numberOf: (values: readonly string[], index: number) => number) =>
  `[${featuresOf.map(numberOf).join(', ')}][type]`
const featurePlace = `${byPlace((_, index) => startOf(index))} + ${zipfBy(
  byPlace(({ length }) => zipfExponent(length)),
  'feature',
)}`
const isInline = `blocked_place IN (2, 5, 9)`
const words = `multiIf(blocked_place = 2, 'inline', blocked_place = 5, 'eval', 'data')`
const blockedUrls = byType([
  [
    ['csp-violation'],
    `if(
      ${isInline},
      ${words},
      concat('https://cdn', toString(blocked_place), '.thirdparty.test/lib/', toString(number % 20), '.js')
    )`,
  ],
  [
    ['integrity-violation'],
    `concat('https://assets', toString(url_place % 150), '.thirdparty.test/v', toString(url_place), '/app.js')`,
  ],
  [['coep', 'connection-allowlist'], `concat('https://cdn', toString(blocked_place), '.thirdparty.test/frame')`],
])
const script = `concat(
  'https://static', toString(script_place % 30), '.shop.test/js/bundle', toString(script_place), '.js'
)`
const policy = `concat(${at(
  policies.map(({ head }) => head),
  'policy_place',
)}, if(policy_place % 3 = 1, concat(' \\'nonce-', lower(hex(hash_5)), '\\''), ''), ${at(
  policies.map(({ tail }) => tail),
  'policy_place',
)})`

const firstHalf = 'bitOr(bitShiftLeft(toUInt64(toUnixTimestamp64Milli(received_at)), 16), 0x7000)'
const secondHalf = 'bitOr(bitAnd(hash_0, 0x3fffffffffffffff), 0x8000000000000000)'

/** Expressions that several columns use, by name. */
export const sharedValues: Readonly<Record<string, string>> = {
  ...drawColumns,
  is_big: chance(0.85, 'tenant'),
  type: `[${typePlaces.join(', ')}][${uniform(typePlaces.length, 'type')}]`,
  tenant_place: `if(is_big, 1, 1 + ${zipf(sizes.smallTenants, 'smallTenant')})`,
  page_place: `if(is_big, ${zipf(sizes.pages, 'page')}, ${zipf(200, 'page')})`,
  host_place: `page_place % ${sizes.documentHosts}`,
  site_place: `if(is_big, host_place % ${sizes.sites} + 1, tenant_place + ${sizes.sites - 1})`,
  browser_place: zipf(browsers.length, 'browser'),
  blocked_place: zipf(sizes.blockedHosts, 'blockedHost'),
  url_place: zipf(sizes.blockedUrls, 'blockedHost'),
  script_place: zipf(sizes.scripts, 'script'),
  policy_place: `(site_place * 5 + ${zipf(6, 'policy')}) % ${policies.length} + 1`,
  feature_place: featurePlace,
  sample_place: uniform(sampleRates.length, 'sample'),
}

/** Expressions of the fields, over shared values, `moment` and other columns; other fields are empty. */
export const columnValues: Readonly<Partial<Record<keyof StoredReport, string>>> = {
  tenantId: `${list(tenantIds)}::Array(UUID)[tenant_place]`,
  siteId: `${list(siteIds)}::Array(UUID)[site_place]`,
  reportType: at(reportTypeNames, 'type'),
  receivedAt: `fromUnixTimestamp64Milli(moment, 'UTC')`,
  id: `reinterpret(bitShiftLeft(toUInt128(${secondHalf}), 64) + ${firstHalf}, 'UUID')`,
  ageMs: `toUInt32(draw_stack * 60000)`,
  retentionDays: '365',
  weight: `[${sampleRates.map(([, weight]) => weight).join(', ')}][sample_place]`,
  sampleRate: `[${sampleRates.map(([rate]) => rate).join(', ')}][sample_place]`,
  browserName: at(
    browsers.map(([name]) => name),
    'browser_place',
  ),
  osName: at(
    browsers.map(([, os]) => os),
    'browser_place',
  ),
  deviceType: at(
    browsers.map(([, , device]) => device),
    'browser_place',
  ),
  browserVersion: at(
    browsers.map(([, , , version]) => version),
    'browser_place',
  ),
  documentHost: `if(
    is_big,
    concat('www', toString(host_place), '.shop.test'),
    concat('www.tenant', toString(tenant_place), '.test')
  )`,
  documentUrl: `concat(
    'https://', document_host, '/', ['shop', 'help', 'account', 'blog'][page_place % 4 + 1], '/', toString(page_place),
    if(${chance(0.15, 'query')}, concat('?item=', toString(number % 977)), '')
  )`,
  disposition: byType([
    [
      ofType(({ dimensions }) => dimensions.includes('disposition')),
      `if(${chance(0.35, 'disposition')}, 'report', 'enforce')`,
    ],
  ]),
  feature: at(featuresOf.flat(), 'feature_place'),
  directive: byType([
    [
      ['csp-violation'],
      `${list(directives)}[if(${chance(0.85, 'directive')}, blocked_place * 7 % 16 + 1, ${zipf(16, 'directive')})]`,
    ],
  ]),
  blockedUrl: blockedUrls,
  blockedHost: `if(
    ${isOf('csp-violation', ...blockedTypes)},
    if(startsWith(blocked_url, 'https:'), domain(blocked_url), blocked_url),
    ''
  )`,
  blockedOrigin: `if(startsWith(blocked_url, 'https:'), concat('https://', blocked_host), '')`,
  destination: byType([
    [['integrity-violation', 'coep'], at(['script', 'style', 'image', 'font', 'iframe'], zipf(5, 'detail'))],
  ]),
  effectivePolicy: byType([[['coop'], at(['same-origin', 'same-origin-allow-popups', 'noopener'], zipf(3, 'detail'))]]),
  otherOrigin: byType([
    [['coop'], `concat('https://other', toString(${zipf(sizes.otherOrigins, 'script')}), '.test')`],
  ]),
  sourceFile: `if(${isOf(...scripted)} AND ${chance(0.9, 'line')}, ${script}, '')`,
  lineNumber: `if(source_file = '', 0, ${uniform(400, 'stack')})`,
  columnNumber: `if(source_file = '', 0, ${uniform(180, 'query')})`,
  message: `if(
    feature != '' AND ${isOf(...scripted)},
    concat(feature, ' is not allowed in this document; see the list of features.'),
    ''
  )`,
  sample: `if(blocked_host = 'inline', 'window.dataLayer=window.dataLayer||[];', '')`,
  policy: byType([[['csp-violation'], policy]]),
  referrer: `if(${chance(0.5, 'address')}, concat('https://', document_host, '/'), '')`,
  statusCode: `toUInt16(${byType(
    [
      [['csp-violation'], '200'],
      [['network-error'], `if(feature = 'http.error', [404, 500, 503, 429][${zipf(4, 'detail')}], 0)`],
    ],
    '0',
  )})`,
  phase: byType([
    [
      ['network-error'],
      `multiIf(startsWith(feature, 'dns'), 'dns', feature IN ('abandoned', 'http.error'), 'application', 'connection')`,
    ],
  ]),
  method: byType([[['network-error'], at(['GET', 'POST', 'HEAD', 'OPTIONS'], zipf(4, 'directive'))]]),
  protocol: byType([[['network-error'], at(['h2', 'h3', 'http/1.1'], zipf(3, 'address'))]]),
  serverIp: byType([[['network-error'], `concat('192.0.2.', toString(${zipf(sizes.serverAddresses, 'address')}))`]]),
  elapsedMs: `if(${isOf('network-error')}, toUInt32(draw_stack * 2000), NULL)`,
  requestUrl: `if(request_origin = '', '', concat(request_origin, '/assets/', toString(${zipf(40, 'line')}), '.js'))`,
  anticipatedRemoval: `if(
    ${isOf('deprecation')} AND cityHash64(feature) % 2 = 0,
    toDateTime64('2027-01-01 00:00:00', 3, 'UTC') + toIntervalDay(cityHash64(feature) % 300),
    NULL
  )`,
  isTopLevel: `if(
    ${isOf('crash')} AND ${chance(0.95, 'disposition')},
    ${chance(0.8, 'disposition')},
    NULL
  )::Nullable(Bool)`,
  visibilityState: byType([[['crash'], `if(${chance(0.7, 'detail')}, 'visible', 'hidden')`]]),
  stack: `if(
    feature = 'unresponsive' AND ${chance(0.6, 'stack')},
    concat(
      '    at render (https://', document_host, '/js/app.js:1:', toString(number % 5000),
      ')\\n    at async update (app.js:1:9120)'
    ),
    ''
  )`,
  issueSubject: issuePart('subject'),
  issueHost: issuePart('host'),
  noise: `(${isOf('csp-violation')} AND blocked_place % 97 = 0)::Bool`,
  requestOrigin: byType([
    [['network-error'], `concat('https://api', toString(${zipf(sizes.requestOrigins, 'script')}), '.shop.test')`],
  ]),
}
