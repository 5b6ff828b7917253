/** @module Link to the explorer and next step of a message. */

import type { AlertMessage } from '../alert-message.ts'

/** Ids and times take the place of capital words. */
const nextSteps: Readonly<Record<string, string>> = {
  'page.headers_changed': 'If nobody deployed this change, restore the headers.',
  'page.grade_dropped': 'Open the scan and fix its first finding.',
  'page.scan_failing': 'Fix the cause, then run "pages scan --tenant TENANT --page PAGE".',
  'csp.new_issue': 'If the site needs the host, allow it in the policy; otherwise find and remove what loads it.',
  'csp.policy_changed': 'Compare the policy with the last deployment.',
  'script.changed': 'Authorize or reject the script, or find out why it was removed.',
  'script.vulnerable': 'Update the library to the fixed version.',
  'reports.burst': 'Open the reports of the hour, those of the largest host first.',
  digest: 'Decide on the new issues in the explorer: allow the host, or remove what loads it.',
  'reports.flood':
    'If they are forged, run "sites rotate-token --tenant TENANT --site SITE", then "reports delete --tenant TENANT --site SITE --from TIME --unconfirmed".',
  'reports.silence':
    'Check that the site still sends its reporting headers: "sites status --tenant TENANT --site SITE".',
}

/** Adds `url` if PUBLIC_URL is set, and `nextStep` unless the event is over. */
export function whereToLook(message: AlertMessage, tenantId: string, publicUrl: string | undefined): AlertMessage {
  const { type, timestamp, data } = message
  const values = { TENANT: tenantId, SITE: data.siteId, PAGE: data.pageId, TIME: timestamp } as const
  const replaced = (name: string) => values[name as keyof typeof values] ?? name
  const nextStep = data.ended ? undefined : nextSteps[type]?.replace(/TENANT|SITE|PAGE|TIME/g, replaced)
  const url = publicUrl && `${publicUrl}/explorer?${new URLSearchParams(viewOf(message))}`
  return { ...message, data: { ...data, ...(url && { url }), ...(nextStep && { nextStep }) } }
}

function viewOf({ type, data }: AlertMessage): Record<string, string> {
  const { siteId, pageId, scanId, issues = [], scripts, policies, hour, path = '' } = data
  const site = siteId === undefined ? {} : { siteId }
  const [from, to] = ['from', 'to'].map((name) => new URL(path, 'http://path').searchParams.get(name))
  if (pageId && scanId) return { view: 'pages', ...site, pageId, scanId }
  if (scripts) return { view: 'scripts', ...site }
  if (policies) return { view: 'policy', ...site }
  const [first, ...others] = issues
  if (first && others.length === 0 && siteId) return { view: 'issue', siteId, issueId: first.id }
  if (first) return { view: 'issues', ...site, new: 'true' }
  return hour && from && to
    ? { view: type === 'csp.new_issue' ? 'issues' : 'reports', ...site, from, to }
    : { view: 'alerts' }
}
