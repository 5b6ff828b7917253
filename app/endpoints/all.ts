import type { Endpoint } from '../pipeline/endpoint.ts'
import { alertDeliveriesList } from './alert-deliveries.ts'
import { compliancePciDss } from './compliance/pci-dss.ts'
import { browserChangesList } from './groups/browser-changes.ts'
import { crashesList } from './groups/crashes.ts'
import { cspPoliciesList } from './groups/csp-policies.ts'
import { networkErrorsList } from './groups/network-errors.ts'
import { issuesList } from './issues/list.ts'
import { issuesSite } from './issues/list-of-site.ts'
import { issuesReports } from './issues/reports.ts'
import { me } from './me.ts'
import { scansGet } from './pages/get-scan.ts'
import { pagesList } from './pages/list.ts'
import { scansList } from './pages/list-scans.ts'
import { reportsCount } from './reports/count.ts'
import { reportsExport } from './reports/export.ts'
import { reportsGrouped } from './reports/grouped.ts'
import { reportsHistogram } from './reports/histogram.ts'
import { reportsList } from './reports/list.ts'
import { reportsTypes } from './reports/types.ts'
import { scriptsGet } from './scripts/get.ts'
import { scriptsList } from './scripts/list.ts'
import { sitesList } from './sites.ts'

/** The one list of operations, for the router, the reference and the contract tests. */
export const endpoints: readonly Endpoint[] = [
  me,
  sitesList,
  reportsList,
  reportsExport,
  reportsCount,
  reportsHistogram,
  reportsGrouped,
  reportsTypes,
  issuesList,
  issuesSite,
  issuesReports,
  crashesList,
  browserChangesList,
  networkErrorsList,
  cspPoliciesList,
  scriptsList,
  scriptsGet,
  pagesList,
  scansList,
  scansGet,
  compliancePciDss,
  alertDeliveriesList,
]
