import { h } from '../dom.js'
import { list, number, text, time, yesNo } from '../format.js'
import { facts, table } from '../table.js'

const requirementNames = {
  '6.4.3': 'Scripts of payment pages are authorized and their integrity is assured',
  '11.6.1': 'Changes of payment pages are detected and alerted',
}

const words = (name) => name.replaceAll('_', ' ')

/** Of nested facts, with their path as name. */
const factsOf = (values) =>
  Object.entries(values).flatMap(([name, value]) => {
    if (typeof value === 'object') return factsOf(value).map(([inner, shown]) => [`${name}: ${inner}`, shown])
    return [[name, typeof value === 'boolean' ? yesNo(value) : number(value)]]
  })

const gapText = ({ kind, count, eventType }) =>
  [words(kind), count === null ? '' : `(${number(count)})`, eventType ?? ''].filter(Boolean).join(' ')

const requirement = ({ id, status, facts: values, gaps }) =>
  h(
    'article',
    {},
    h('h3', {}, `${id}: `, h('span', { class: `tag ${status}` }, words(status))),
    h('p', {}, requirementNames[id] ?? ''),
    facts(factsOf(values)),
    h('h4', {}, 'What is missing'),
    gaps.length === 0
      ? h('p', {}, 'Nothing.')
      : h('ul', {}, ...gaps.map((gap) => h('li', { title: gap.kind }, gapText(gap)))),
  )

/** An id, for who looks it up. */
const small = (id) => h('small', { class: 'id' }, id)

const scriptColumns = [
  { label: 'Script', of: ({ url, id }) => [url, small(id)] },
  { label: 'Decision', of: ({ status, integrityMode }) => list([status, integrityMode ?? '']) },
  { label: 'By', of: ({ decidedBy }) => (decidedBy ? list([decidedBy.name ?? '', decidedBy.email]) : '–') },
  { label: 'When', of: ({ decidedAt }) => time(decidedAt) },
  { label: 'Justification', of: ({ justification }) => text(justification) },
  {
    label: 'Coverage',
    of: ({ coverage: { state, decidedBy, lastUnprotectedAt, mode } }) =>
      list([state, decidedBy ?? '', mode ?? '', lastUnprotectedAt ? `last ${time(lastUnprotectedAt)}` : '']),
  },
  { label: 'Still running', of: ({ stillRunning }) => yesNo(stillRunning) },
  {
    label: 'On',
    of: ({ paymentPages }) => paymentPages.map(({ label, pageId }) => h('div', {}, label, small(pageId))),
  },
  {
    label: 'Host’s unprotected others',
    of: ({ uninventoriedUnprotected }) => number(uninventoriedUnprotected),
    numeric: true,
  },
]

const pageColumns = [
  { label: 'Payment page', of: ({ label, id }) => [label, small(id)] },
  { label: 'Scanned at', of: ({ scanUrl }) => text(scanUrl) },
  { label: 'Last complete scan', of: ({ lastScanAt }) => time(lastScanAt) },
  { label: 'Grade', of: ({ grade }) => text(grade) },
  { label: 'Watched', of: ({ watched }) => yesNo(watched) },
]

const changeColumns = [
  { label: 'Page', of: ({ pageLabel, pageId }) => [pageLabel, small(pageId)] },
  { label: 'Scanned', of: ({ scannedAt, scanId }) => [time(scannedAt), small(scanId)] },
  { label: 'Headers', of: ({ headers }) => list(headers) },
  {
    label: 'Grade',
    of: ({ grade, gradeDroppedFrom }) => list([grade ?? '', gradeDroppedFrom ? `from ${gradeDroppedFrom}` : '']),
  },
  { label: 'Alerted', of: ({ alerted }) => yesNo(alerted) },
]

const suggestionColumns = [
  { label: 'Busy page', of: ({ url }) => url },
  { label: 'Pattern', of: ({ suggestedPattern }) => h('code', {}, suggestedPattern) },
]

/** Of a list that is whole. */
const counted = (title, rows) => h('h3', {}, `${title} (${number(rows.length)})`)

const neededPlans = (requiredFor) =>
  list(Object.entries(requiredFor).flatMap(([what, plan]) => (plan ? [`${what} from ${plan}`] : [])))

/** The verdict as an auditor keeps it: all that the API says of it, on paper too. */
export const pci = {
  id: 'pci',
  title: () => 'PCI DSS 4.0 readiness',
  request: ({ site }) => ({ path: '/v1/compliance/pci-dss', params: { siteId: site } }),
  render: ({ data: { siteName, siteId, generatedAt, requirements, evidence, plan } }) => [
    facts([
      ['Site', `${siteName} (${siteId})`],
      ['Generated', generatedAt],
      ['Plan', plan.current],
      ['Needs a plan', neededPlans(plan.requiredFor)],
      ['Scripts read from', evidence.window ? time(evidence.window.from) : '–'],
      ['Scripts read to', evidence.window ? time(evidence.window.to) : '–'],
    ]),
    ...requirements.map(requirement),
    h('button', { type: 'button', class: 'print', onclick: () => window.print() }, 'Print'),
    counted('Evidence: scripts reported from payment pages', evidence.scripts),
    table('Scripts reported from payment pages', scriptColumns, evidence.scripts),
    h('p', {}, `Unprotected scripts that the inventory lacks: ${number(evidence.uninventoriedUnprotected)}`),
    counted('Evidence: payment pages', evidence.pages),
    table('Payment pages', pageColumns, evidence.pages),
    counted('Evidence: changes of the last 30 days', evidence.changes),
    table('Changes', changeColumns, evidence.changes),
    ...(evidence.suggestions.length > 0
      ? [
          counted('Pages that may be payment pages', evidence.suggestions),
          table('Suggestions', suggestionColumns, evidence.suggestions),
        ]
      : []),
  ],
}
