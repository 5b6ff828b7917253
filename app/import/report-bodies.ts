import { scriptHash } from '../../queries/rules/script-hash.ts'
import { scriptUrl } from '../../queries/rules/script-url.ts'
import type { StoredType } from '../../schema/report-types.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import type { Browser } from './browser.ts'
import {
  disposition,
  duration,
  firstText,
  firstToken,
  flag,
  joined,
  moment,
  position,
  type Read,
  reportOnly,
  status,
  text,
  toNumber,
  withoutFragment,
  withoutQuery,
} from './member-values.ts'
import type { BodyMember, BodyMembers } from './members.ts'
import { urlParts } from './url-parts.ts'

/** The fields a body can fill: the others come with its POST, or are derived afterwards. */
type BodyFields = Omit<
  StoredReport,
  | 'tenantId'
  | 'siteId'
  | 'reportType'
  | 'receivedAt'
  | 'id'
  | 'ageMs'
  | 'retentionDays'
  | 'weight'
  | 'sampleRate'
  | keyof Browser
  | 'documentHost'
  | 'blockedHost'
  | 'blockedOrigin'
  | 'requestOrigin'
  | 'issueSubject'
  | 'issueHost'
  | 'noise'
>

/** How one report type's body becomes fields (payloads, Per type and Normalising). */
export interface BodyRow {
  readonly fields: { readonly [Field in keyof BodyFields]?: Read<BodyFields[Field]> }
  /** Reports that are never stored, only counted. */
  readonly skips?: (members: BodyMembers) => boolean
  /** The browser's own sampling, which then replaces the collector's; anything outside (0, 1] is 1. */
  readonly sampleRate?: Read<number>
  /** The blocked URL can be a host without a scheme. */
  readonly blocksHosts?: true
}

const envelopeUrl: Read<string> = (_members, url) => url
const bodyOrEnvelopeUrl: Read<string> = (members, url) => firstText(members, ['documentUrl', 'documentUri']) || url

const source = {
  sourceFile: withoutQuery('sourceFile'),
  lineNumber: position('lineNumber'),
  columnNumber: position('columnNumber'),
}

const policyViolation = {
  fields: {
    documentUrl: envelopeUrl,
    disposition,
    feature: text('policyId', 'featureId'),
    message: text('message'),
    ...source,
  },
} satisfies BodyRow

const notice = {
  fields: { documentUrl: envelopeUrl, feature: text('id'), message: text('message'), ...source },
} satisfies BodyRow

/** The other party of an opener relation: the first that the browser names, in this order. */
const otherParties: readonly BodyMember[] = [
  'openerUrl',
  'openeeUrl',
  'openedWindowUrl',
  'otherDocumentUrl',
  'otherUrl',
  'nextResponseUrl',
  'previousResponseUrl',
  'initialPopupUrl',
  'referrer',
]

const openerAccess: Read<string> = (members) => {
  const property = firstText(members, ['property'])
  return property === '' ? firstText(members, ['type']) : `${firstText(members, ['type'])}:${property}`
}

const samplingFraction: Read<number> = (members) => {
  const rate = toNumber(members.samplingFraction) ?? 1
  return rate > 0 && rate <= 1 ? rate : 1
}

/** Destinations that run what they load as a script; a browser that names none means one of them. */
const scriptLike = new Set(['', 'script', 'audioworklet', 'paintworklet', 'serviceworker', 'sharedworker', 'worker'])

const namedScript = (...names: BodyMember[]): Read<string> => {
  return (members) => scriptUrl(firstText(members, names))
}

/** A violation of another destination is of no script. */
const blockedScript: Read<string> = (members, url) =>
  firstText(members, ['destination']) === 'script' ? namedScript('blockedUrl', 'blockedUri')(members, url) : ''

/** Every stored type. A type without a row is skipped and counted. */
export const reportBodies: Readonly<Record<StoredType, BodyRow>> = {
  'csp-violation': {
    fields: {
      documentUrl: bodyOrEnvelopeUrl,
      disposition,
      directive: firstToken('effectiveDirective', 'violatedDirective'),
      blockedUrl: withoutFragment('blockedUrl', 'blockedUri'),
      sample: text('sample', 'scriptSample'),
      policy: text('originalPolicy'),
      referrer: withoutFragment('referrer'),
      statusCode: status('statusCode'),
      ...source,
    },
  },
  'integrity-violation': {
    fields: {
      documentUrl: bodyOrEnvelopeUrl,
      disposition: reportOnly,
      blockedUrl: withoutFragment('blockedUrl', 'blockedUri'),
      destination: text('destination'),
      scriptUrl: blockedScript,
    },
  },
  coep: {
    fields: {
      documentUrl: envelopeUrl,
      disposition,
      feature: text('type'),
      blockedUrl: withoutFragment('blockedUrl', 'blockedUri'),
      destination: text('destination'),
    },
  },
  coop: {
    fields: {
      documentUrl: envelopeUrl,
      disposition,
      feature: openerAccess,
      effectivePolicy: text('effectivePolicy'),
      otherOrigin: (members) => urlParts(firstText(members, otherParties)).origin,
      referrer: withoutFragment('referrer'),
      ...source,
    },
  },
  'permissions-policy-violation': policyViolation,
  'document-policy-violation': policyViolation,
  'connection-allowlist': {
    fields: {
      documentUrl: envelopeUrl,
      disposition,
      blockedUrl: withoutFragment('connection', 'blockedUrl'),
      policy: joined('allowlist'),
    },
    blocksHosts: true,
  },
  deprecation: { fields: { ...notice.fields, anticipatedRemoval: moment('anticipatedRemoval') } },
  intervention: notice,
  'network-error': {
    fields: {
      documentUrl: text('referrer'),
      feature: text('type'),
      referrer: withoutFragment('referrer'),
      statusCode: status('statusCode'),
      phase: text('phase'),
      method: text('method'),
      protocol: text('protocol'),
      serverIp: text('serverIp'),
      elapsedMs: duration('elapsedTime'),
      requestUrl: envelopeUrl,
    },
    skips: ({ type }) => type === 'ok',
    sampleRate: samplingFraction,
  },
  crash: {
    fields: {
      documentUrl: envelopeUrl,
      feature: text('reason'),
      isTopLevel: flag('isTopLevel'),
      visibilityState: text('visibilityState', 'pageVisibility'),
      stack: text('stack'),
    },
  },
  'csp-hash': {
    fields: {
      documentUrl: bodyOrEnvelopeUrl,
      destination: text('destination'),
      scriptUrl: namedScript('subresourceUrl'),
      scriptHash: (members) => scriptHash(firstText(members, ['hash'])),
      reportedHash: text('hash'),
    },
    skips: (members) =>
      !scriptLike.has(firstText(members, ['destination'])) || namedScript('subresourceUrl')(members, '') === '',
  },
}
