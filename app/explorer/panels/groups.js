import { confidenceRule } from '/explorer/schema.js'
import { h } from '../dom.js'
import { date, list, number, text } from '../format.js'
import { windowOf } from '../state.js'
import { detailsButton, facts, filterButton, seenInWindow, table } from '../table.js'

/** Issues, network errors, crashes and browser changes: lists of groups. */

const siteParams = (state) => ({ siteId: state.site, limit: 50, ...windowOf(state) })

const counted = [
  { label: 'Reports', of: ({ reportCount }) => number(reportCount), numeric: true },
  { label: 'Estimate', of: ({ estimatedReportCount }) => number(estimatedReportCount), numeric: true },
]

/** @param {(body: object) => number} [totalOf] groups, where the response has their number */
const groupList = (totalOf) => ({ isExported: true, list: { step: 50, totalOf } })

const groupCount = ({ totals }) => totals.groupCount

const { manyReports, severalFamilies } = confidenceRule

/** Why an issue has its confidence (Rule 45). */
function why({ confidence, reportCount, browserFamilyCount }) {
  if (confidence === 'suppressed') return 'every report is noise of an extension, the browser or an injecting product'
  const families = browserFamilyCount === 1 ? 'one browser family' : `${number(browserFamilyCount)} browser families`
  const reports = reportCount === 1 ? 'one report' : `${number(reportCount)} reports`
  return `${reports} of ${families}; high is ${manyReports} reports and ${severalFamilies} families`
}

export const issues = {
  id: 'issues',
  title: () => 'Issues, the last seen first',
  ...groupList(),
  request: (state) => ({ path: '/v1/issues', params: siteParams(state) }),
  render: ({ data }, context) => [
    table(
      'Issues',
      [
        { label: 'Type', of: ({ reportType }) => reportType },
        { label: 'Subject', of: ({ subject }) => text(subject) },
        {
          label: 'Host',
          of: ({ targetHost, reportType, blockedHost }) =>
            blockedHost && reportType === 'csp-violation'
              ? filterButton(context, 'blockedHost', blockedHost, blockedHost, reportType)
              : text(targetHost),
        },
        {
          label: 'Confidence',
          of: (issue) => [
            h('span', { class: `tag ${issue.confidence}` }, issue.confidence),
            h('small', {}, ` ${why(issue)}`),
          ],
        },
        ...counted,
        { label: 'Pages', of: ({ affectedPages }) => number(affectedPages), numeric: true },
        ...seenInWindow,
      ],
      data,
    ),
  ],
}

export const networkErrors = {
  id: 'network-errors',
  title: () => 'Network errors, the largest first',
  ...groupList(groupCount),
  request: (state) => ({ path: '/v1/network-errors', params: siteParams(state) }),
  render: ({ data, totals }) => [
    facts([
      ['Reports', number(totals.reportCount)],
      ['Estimate', number(totals.estimatedReportCount)],
      ['Groups', number(totals.groupCount)],
      ['Origins', number(totals.originCount)],
    ]),
    table(
      'Network errors',
      [
        { label: 'Error', of: ({ errorType }) => text(errorType) },
        { label: 'Phase', of: ({ phase }) => text(phase) },
        { label: 'Origin', of: ({ origin }) => text(origin) },
        { label: 'Status', of: ({ statusCode }) => text(statusCode), numeric: true },
        ...counted,
        { label: 'Servers', of: ({ serverIps }) => list(serverIps) },
        { label: 'Browsers', of: ({ browsers }) => list(browsers) },
        { label: 'Example', of: ({ exampleUrl }) => text(exampleUrl) },
        ...seenInWindow,
      ],
      data,
    ),
  ],
}

export const crashes = {
  id: 'crashes',
  title: () => 'Crashes, the largest first',
  ...groupList(groupCount),
  request: (state) => ({ path: '/v1/crashes', params: siteParams(state) }),
  render: ({ data, totals }, context) => [
    facts([
      ['Reports', number(totals.reportCount)],
      ['Estimate', number(totals.estimatedReportCount)],
      ['Groups', number(totals.groupCount)],
      ['Pages', number(totals.pageCount)],
    ]),
    table(
      'Crashes',
      [
        { label: 'Reason', of: ({ reason }) => reason || 'unknown' },
        { label: 'Page', of: ({ page }) => text(page) },
        ...counted,
        { label: 'Browsers', of: ({ browsers }) => list(browsers) },
        {
          label: 'Stack',
          of: (group) => {
            if (!group.stackExcerpt) return '–'
            return detailsButton(context, `stack ${group.page} ${group.reason}`, `Crash of ${group.page}`, group)
          },
        },
        ...seenInWindow,
      ],
      data,
    ),
  ],
}

export const browserChanges = {
  id: 'browser-changes',
  title: () => 'Browser changes, the soonest removal first',
  ...groupList(),
  request: (state) => ({ path: '/v1/browser-changes', params: siteParams(state) }),
  render: ({ data, totals }) => [
    facts([
      ['APIs', number(totals.apiCount)],
      ['With a removal date', number(totals.withRemovalDateCount)],
      ['Soonest removal', date(totals.soonestRemoval)],
      ['Estimate', number(totals.estimatedReportCount)],
    ]),
    table(
      'Browser changes',
      [
        { label: 'Removal', of: ({ anticipatedRemoval }) => date(anticipatedRemoval) },
        { label: 'API', of: ({ feature }) => text(feature) },
        { label: 'Type', of: ({ reportType }) => reportType },
        {
          label: 'Script',
          of: ({ sourceFile, lineNumber }) => text(sourceFile && `${sourceFile}:${lineNumber ?? '?'}`),
        },
        ...counted,
        { label: 'Pages', of: ({ topPages, pageCount }) => `${number(pageCount)}: ${list(topPages)}` },
        { label: 'Message', of: ({ message }) => text(message) },
      ],
      data,
    ),
  ],
}
