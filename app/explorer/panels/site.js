import { h } from '../dom.js'
import { number, text, time, yesNo } from '../format.js'
import { windowOf } from '../state.js'
import { detailsButton, facts, table } from '../table.js'

/** Policies, scripts and pages of one site. */

const ofSite = ({ site }, rest) => `/v1/sites/${encodeURIComponent(site)}/${rest}`

const tag = (word) => h('span', { class: `tag ${word}` }, word)

export const policies = {
  id: 'policies',
  title: () => 'Policies that reports quote',
  isExported: true,
  list: { step: 50 },
  request: (state) => ({ path: ofSite(state, 'csp-policies'), params: { limit: 200, ...windowOf(state) } }),
  render: ({ data, truncated }) => [
    truncated ? h('p', { class: 'note' }, 'More than 200 policies were quoted: the latest are listed.') : '',
    table(
      'Policies',
      [
        { label: 'Disposition', of: ({ disposition }) => tag(disposition) },
        { label: 'Policy', of: ({ policy }) => h('code', {}, policy) },
        { label: 'Reports', of: ({ reportCount }) => number(reportCount), numeric: true },
        { label: 'First quoted in this window', of: ({ firstSeen }) => time(firstSeen) },
        { label: 'Last quoted in this window', of: ({ lastSeen }) => time(lastSeen) },
      ],
      data,
    ),
  ],
}

export const scripts = {
  id: 'scripts',
  title: () => 'Script inventory',
  isExported: true,
  list: { step: 100, totalOf: ({ counts }) => Object.values(counts.identification).reduce((a, b) => a + b, 0) },
  request: (state) => ({ path: ofSite(state, 'scripts'), params: { limit: 100, ...windowOf(state) } }),
  render: ({ data, coverage, truncated }, context) => [
    facts([
      ['Browsers report integrity', yesNo(coverage.reporting)],
      ['Protected', number(coverage.protected)],
      ['Unprotected', number(coverage.unprotected)],
      ['Unknown', number(coverage.unknown)],
      ['Unprotected and not in the inventory', number(coverage.uninventoriedCount)],
    ]),
    truncated ? h('p', { class: 'note' }, 'The site has more scripts than one read returns.') : '',
    table(
      'Scripts',
      [
        { label: 'Script', of: (script) => detailsButton(context, script.id, script.url, script, script.url) },
        { label: 'Decision', of: ({ status }) => tag(status) },
        { label: 'By', of: ({ decidedBy, decidedAt }) => (decidedBy ? `${decidedBy.email}, ${time(decidedAt)}` : '–') },
        { label: 'Coverage', of: ({ coverage: { state } }) => tag(state) },
        { label: 'Identified', of: ({ identification: { state } }) => state },
        {
          label: 'Advisories',
          of: ({ advisories: { state, severity } }) => (severity ? `${state}, ${severity}` : state),
        },
        { label: 'Pages', of: ({ activity }) => number(activity?.pageCount), numeric: true },
        { label: 'Last seen', of: ({ lastSeenAt }) => time(lastSeenAt) },
      ],
      data,
    ),
  ],
}

const changesOf = ({ headers, gradeDroppedFrom }) =>
  [
    ...headers.map(({ header, change }) => `${header} ${change}`),
    ...(gradeDroppedFrom ? [`grade dropped from ${gradeDroppedFrom}`] : []),
  ].join(', ')

export const pages = {
  id: 'pages',
  title: () => 'Monitored pages',
  isExported: true,
  list: { step: 100 },
  request: (state) => ({ path: ofSite(state, 'pages'), params: { limit: 100 } }),
  render: ({ data }, context) => [
    table(
      'Monitored pages',
      [
        { label: 'Page', of: ({ label }) => label },
        { label: 'Kind', of: ({ kind }) => kind },
        { label: 'Pattern', of: ({ pattern }) => h('code', {}, pattern) },
        { label: 'Grade', of: ({ latestScan }) => text(latestScan?.grade) },
        {
          label: 'Latest scan',
          of: ({ latestScan }) =>
            latestScan ? `${latestScan.status} ${time(latestScan.scannedAt)}${failure(latestScan)}` : 'none',
        },
        { label: 'Changed', of: ({ latestScan }) => (latestScan && changesOf(latestScan.changes)) || '–' },
        { label: 'All', of: (page) => detailsButton(context, page.id, page.label, page) },
      ],
      data,
    ),
  ],
}

const failure = ({ failureReason }) => (failureReason ? `, ${failureReason}` : '')
