import {
  listBrowserChangeDetails,
  listBrowserChanges,
  listBrowserChangeTexts,
} from '../../queries/browser-changes/browser-changes.ts'
import { countChangesByBrowser } from '../../queries/browser-changes/count-changes-by-browser.ts'
import { listCrashDetails, listCrashGroups, listCrashTexts } from '../../queries/crashes/crash-groups.ts'
import { findPolicyKeys, listCspPolicies, listCspPolicyTexts } from '../../queries/csp-policies/csp-policies.ts'
import {
  listCspEvidence,
  listCspSourceDetails,
  listCspSourceExamples,
} from '../../queries/csp-policies/csp-source-details.ts'
import { listCspSources } from '../../queries/csp-policies/csp-sources.ts'
import { findIssue, listIssueDetails } from '../../queries/issues/issue-details.ts'
import { listIssues } from '../../queries/issues/issues.ts'
import {
  listNetworkErrorDetails,
  listNetworkErrorGroups,
  listNetworkErrorTexts,
} from '../../queries/network-errors/network-error-groups.ts'
import type { Query } from '../../queries/sql/query.ts'
import { pageMatch } from '../../schema/rules/scans/page-pattern.ts'
import type { OracleWindow } from '../oracles/oracle-parts.ts'

/** Every query about groups of reports by day, with every filter. */
export function groupQueries(tenantId: string, window: OracleWindow, siteId: string): Query<unknown>[] {
  const after = { weight: '5', key: '7' }
  const groups = [{ key: 7n, lastStackAt: 1, lastSeen: '2026-01-31T12:00:00.000Z' }]
  const crashes = { tenantId, window, siteId, reason: 'oom' }
  const errors = { tenantId, window, siteId, phase: 'dns', errorType: 'dns.failed', origin: 'https://a.test' }
  const changes = { tenantId, window, siteId, reportTypes: ['deprecation', 'intervention'] as const }
  const policies = { tenantId, window, siteId, page: pageMatch('https://a.test/*/b') }
  const sources = {
    tenantId,
    window,
    siteId,
    policyKeys: [7n],
    disposition: 'report' as const,
    sources: ['https://a.test'],
  }
  const issues = { tenantId, window, siteId, reportTypes: ['csp-violation', 'coep'] as const }
  return [
    ...listIssues(issues, { lastSeen: 5, key: '7' }, 5),
    ...listIssueDetails(issues, [{ key: 7n, siteId, reportType: 'coep' }]),
    findIssue(issues, 7n),
    listBrowserChanges(changes, { ...after, anticipatedRemoval: 5 }, 5),
    countChangesByBrowser(changes),
    ...listBrowserChangeDetails(changes, groups),
    ...listBrowserChangeTexts(changes, groups),
    listCspPolicies(policies, 5),
    ...listCspPolicyTexts(policies, groups),
    listCspSources(sources, ['https://a.test']),
    findPolicyKeys(policies, ['0'.repeat(32)]),
    ...listCspSourceDetails(sources),
    ...listCspSourceExamples(sources),
    ...listCspEvidence(sources, [7n]),
    listCrashGroups(crashes, after, 5),
    ...listCrashDetails(crashes, groups),
    ...listCrashTexts(crashes, groups),
    listNetworkErrorGroups(errors, after, 5),
    ...listNetworkErrorDetails(errors, groups),
    ...listNetworkErrorTexts(errors, groups),
  ]
}
