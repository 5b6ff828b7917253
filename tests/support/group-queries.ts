import { countChangesByBrowser } from '../../queries/count-changes-by-browser.ts'
import { findIssue } from '../../queries/find-issue.ts'
import { listBrowserChangeMessages } from '../../queries/list-browser-change-messages.ts'
import { listBrowserChangePages } from '../../queries/list-browser-change-pages.ts'
import { listBrowserChanges } from '../../queries/list-browser-changes.ts'
import { listCrashBrowsers } from '../../queries/list-crash-browsers.ts'
import { listCrashGroups } from '../../queries/list-crash-groups.ts'
import { listCrashStacks } from '../../queries/list-crash-stacks.ts'
import { listCspPolicies } from '../../queries/list-csp-policies.ts'
import { listCspPolicyTexts } from '../../queries/list-csp-policy-texts.ts'
import { listIssueDetails } from '../../queries/list-issue-details.ts'
import { listIssues } from '../../queries/list-issues.ts'
import { listNetworkErrorDetails } from '../../queries/list-network-error-details.ts'
import { listNetworkErrorExamples } from '../../queries/list-network-error-examples.ts'
import { listNetworkErrors } from '../../queries/list-network-errors.ts'
import type { Query } from '../../queries/query.ts'
import { pageMatch } from '../../queries/rules/page-pattern.ts'
import { totalBrowserChanges } from '../../queries/total-browser-changes.ts'
import { totalCrashes } from '../../queries/total-crashes.ts'
import { totalNetworkErrors } from '../../queries/total-network-errors.ts'
import type { OracleWindow } from './report-oracle.ts'

/** Every query about groups of reports by day, with every filter. */
export function groupQueries(tenantId: string, window: OracleWindow, siteId: string): Query<unknown>[] {
  const after = { weight: '5', key: '7' }
  const groups = [{ key: 7n, lastStackAt: 1, lastSeen: '2026-01-31T12:00:00.000Z' }]
  const crashes = { tenantId, window, siteId, reason: 'oom' }
  const errors = { tenantId, window, siteId, phase: 'dns', errorType: 'dns.failed', origin: 'https://a.test' }
  const changes = { tenantId, window, siteId, reportTypes: ['deprecation', 'intervention'] as const }
  const policies = { tenantId, window, siteId, page: pageMatch('https://a.test/*/b') }
  const issues = { tenantId, window, siteId, reportTypes: ['csp-violation', 'coep'] as const }
  return [
    listIssues(issues, { lastSeen: 5, key: '7' }, 5),
    ...listIssueDetails(issues, [{ issueKey: 7n }]),
    findIssue(issues, 7n),
    listBrowserChanges(changes, { ...after, anticipatedRemoval: 5 }, 5),
    totalBrowserChanges(changes),
    countChangesByBrowser(changes),
    ...listBrowserChangePages(changes, groups),
    ...listBrowserChangeMessages(changes, groups),
    listCspPolicies(policies, 5),
    ...listCspPolicyTexts(policies, groups),
    listCrashGroups(crashes, after, 5),
    totalCrashes(crashes),
    ...listCrashBrowsers(crashes, groups),
    ...listCrashStacks(crashes, groups),
    listNetworkErrors(errors, after, 5),
    totalNetworkErrors(errors),
    ...listNetworkErrorDetails(errors, groups),
    ...listNetworkErrorExamples(errors, groups),
  ]
}
