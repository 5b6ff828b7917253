import { scriptHash } from '../../queries/rules/scripts/script-hash.ts'
import type { StoredType } from '../../schema/report-types.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import {
  blockedScript,
  hashesNoScript,
  namedScript,
  openerAccess,
  otherOrigin,
  samplingFraction,
} from './body-readers.ts'
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
  withoutFragment,
  withoutQuery,
} from './member-values.ts'
import type { BodyMembers } from './members.ts'

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
      otherOrigin,
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
    skips: hashesNoScript,
  },
}
