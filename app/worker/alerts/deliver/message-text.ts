import { type AlertMessage, issueText, type MessageScript, utcText } from '../alert-message.ts'

/** Plain text of a message for people: summary, details, and the API request to read more. */
export function messageText({ timestamp, data }: AlertMessage): string {
  const { summary, siteName, headers = [], issues = [], scripts = [], policies = [], alerts = [], path, url } = data
  const { issueCount = 0, scriptCount = 0, policyCount = 0, alertCount = 0 } = data
  const lines = [
    ...(data.failureMessage ? [data.failureMessage] : []),
    ...headers.map(({ header, change, before, after, differences }) => {
      const texts = differences ?? [`${quoted(before)} -> ${quoted(after)}`]
      return `${header} ${change}: ${texts.join('; ')}`
    }),
    ...issues.map((issue) => {
      const { firstSeen, reportCount, browserFamilyCount, affectedPages } = issue
      const evidence = `reports: ${reportCount}, browsers: ${browserFamilyCount}, pages: ${affectedPages}`
      return `${issueText(issue)}, since ${utcText(firstSeen)}; ${evidence}${decisionText(issue.decision)}`
    }),
    ...Object.entries(data.largest ?? {}).map(
      ([name, { value, reports }]) =>
        `largest ${name === 'blockedHost' ? 'host' : name}: ${value} (${reports.toLocaleString('en')} reports)`,
    ),
    ...more(issueCount - issues.length, 'issues'),
    ...scripts.map(scriptText),
    ...more(scriptCount - scripts.length, 'scripts'),
    ...policies.map(({ disposition, policy, firstSeen }) => `${disposition}, since ${utcText(firstSeen)}: ${policy}`),
    ...more(policyCount - policies.length, 'policies'),
    ...alerts.map(({ timestamp, type, summary }) => `${utcText(timestamp)} ${type}: ${summary}`),
    ...more(alertCount - alerts.length, 'alerts'),
  ]
  return [
    summary,
    ...(siteName === undefined ? [] : [`Site: ${siteName}`]),
    ...(data.pageLabel === undefined ? [] : [`Page: ${data.pageLabel}`]),
    `Time: ${utcText(timestamp)}`,
    ...(lines.length > 0 ? ['', ...lines.map((line) => `- ${line.replaceAll('\n', ' | ')}`)] : []),
    ...(data.nextStep === undefined ? [] : ['', `Next: ${data.nextStep}`]),
    ...(url === undefined ? [] : ['', url]),
    ...(path === undefined ? [] : ['', `GET ${path}`]),
  ].join('\n')
}

export const scriptName = ({ url, sample }: Pick<MessageScript, 'url' | 'sample'>): string =>
  sample === undefined ? url : JSON.stringify(sample.trim().replace(/\s+/g, ' '))

export function scriptText(script: MessageScript): string {
  const { change, url, hash, hashBefore, decision, sample, pageLabel, advisory } = script
  if (change === 'not_comparable')
    return `${pageLabel}: inline scripts differ in each of the last three scans; their changes are not alerted until two scans agree`
  const name = sample === undefined ? url : `inline ${scriptName(script)}`
  if (!advisory) {
    // An authorized script has an alert if the hash is not one of its decision.
    const isPinned = decision === 'authorized' && change !== 'removed'
    const before = change === 'changed' && hashBefore ? `${hashBefore} -> ` : ''
    return `${change} on ${pageLabel}: ${name} (${before}${hash ?? 'not read'})${decisionText(isPinned ? 'authorized with other hashes' : decision)}`
  }
  const { library, id, aliases, severity, fixedIn, fixedIntegrity } = advisory
  const fix = fixedIn === null ? 'not fixed' : `fixed in ${fixedIn} (integrity ${fixedIntegrity ?? 'unknown'})`
  return `${library} has ${aliases[0] ?? id} (${severity}), ${fix}: ${url}`
}

const decisionText = (decision: string | null | undefined) =>
  decision === undefined ? '' : `; decision: ${decision ?? 'none'}`

const quoted = (value: string | null) => (value === null ? 'not sent' : JSON.stringify(value))

const more = (count: number, of: string) => (count > 0 ? [`and ${count.toLocaleString('en')} more ${of}`] : [])
