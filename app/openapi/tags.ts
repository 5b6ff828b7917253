/** The reference's chapters, by the first half of an operation's name. */
const tags = {
  me: { name: 'Key', description: 'The calling key, its tenant and their budgets.' },
  reports: { name: 'Reports', description: 'What browsers sent: list, count, plot and rank it.' },
  issues: { name: 'Issues', description: 'Reports grouped by what they are about, whichever page sent them.' },
  crashes: { name: 'Crashes', description: 'Pages that the browser gave up on, in groups.' },
  'browser-changes': {
    name: 'Browser changes',
    description: 'What browsers will remove or no longer allow, and which scripts still use it.',
  },
  'network-errors': { name: 'Network errors', description: 'Requests that failed, or were answered with an error.' },
  'csp-policies': { name: 'CSP policies', description: 'The policies that reports quote.' },
  scripts: {
    name: 'Scripts',
    description: 'The scripts a site loads: who allowed them, what they are, and whether their integrity is assured.',
  },
  pages: { name: 'Monitored pages', description: 'The pages a site wants watched, and what scheduled scans found.' },
  scans: { name: 'Scans', description: 'What a page’s scheduled scans found, and what changed between them.' },
  'alert-deliveries': { name: 'Alerts', description: 'What became of each alert.' },
  compliance: { name: 'Compliance', description: 'Readiness for PCI DSS 4.0, with the evidence.' },
  health: { name: 'Health', description: 'For load balancers and container platforms; no key is needed.' },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly description: string }>>

type Chapter = keyof typeof tags

/** A chapter alone, or with a question: `me`, `reports.count`. */
export type OperationName = Chapter | `${Chapter}.${string}`

/** The tag of an operation. */
export const tagOf = (operation: OperationName): string => tags[operation.split('.')[0] as Chapter].name

/** The chapters of these operations, in the table's order. */
export function tagsOf(operations: readonly OperationName[]) {
  const used = new Set(operations.map(tagOf))
  return Object.values(tags).filter(({ name }) => used.has(name))
}
