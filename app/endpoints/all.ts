import type { Endpoint } from '../pipeline/endpoint.ts'
import { alertDeliveriesList } from './alert-deliveries/list.ts'
import { browserChangesList } from './browser-changes/list.ts'
import { compliancePciDss } from './compliance/pci-dss.ts'
import { complianceReport } from './compliance/report.ts'
import { crashesList } from './crashes/list.ts'
import { cspPoliciesAdvice } from './csp-policies/advice.ts'
import { cspPoliciesCheck } from './csp-policies/check.ts'
import { cspPoliciesList } from './csp-policies/list.ts'
import { issuesList } from './issues/list.ts'
import { issuesPages } from './issues/pages.ts'
import { issuesReports } from './issues/reports.ts'
import { issuesSite } from './issues/site.ts'
import { me } from './me.ts'
import { networkErrorsList } from './network-errors/list.ts'
import { pagesList } from './pages/list.ts'
import { reportsCount } from './reports/count.ts'
import { reportsExport } from './reports/export.ts'
import { reportsGrouped } from './reports/grouped.ts'
import { reportsHistogram } from './reports/histogram.ts'
import { reportsList } from './reports/list.ts'
import { reportsTypes } from './reports/types.ts'
import { reportsValues } from './reports/values.ts'
import { scansGet } from './scans/get.ts'
import { scansList } from './scans/list.ts'
import { scriptsGet } from './scripts/get.ts'
import { scriptsList } from './scripts/list.ts'
import { sitesList } from './sites/list.ts'
import { sitesSetup } from './sites/setup.ts'

/** The one list of operations, for the router, the reference and the contract tests. */
export const endpoints: readonly Endpoint[] = [
  me,
  sitesList,
  sitesSetup,
  reportsList,
  reportsExport,
  reportsCount,
  reportsHistogram,
  reportsGrouped,
  reportsTypes,
  reportsValues,
  issuesList,
  issuesSite,
  issuesReports,
  issuesPages,
  crashesList,
  browserChangesList,
  networkErrorsList,
  cspPoliciesList,
  cspPoliciesAdvice,
  cspPoliciesCheck,
  scriptsList,
  scriptsGet,
  pagesList,
  scansList,
  scansGet,
  compliancePciDss,
  complianceReport,
  alertDeliveriesList,
]
