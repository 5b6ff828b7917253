import type { Chapter, OperationName } from '../pipeline/endpoint.ts'

const tags: Readonly<Record<Chapter | 'health', { readonly name: string; readonly description: string }>> = {
  me: { name: 'Key', description: 'The calling key, its tenant and their budgets.' },
  sites: { name: 'Sites', description: 'The sites that the key reads.' },
  reports: { name: 'Reports', description: 'What browsers sent: list, count, plot and rank it.' },
  issues: { name: 'Issues', description: 'Reports grouped by what they are about, whichever page sent them.' },
  crashes: { name: 'Crashes', description: 'Pages that the browser gave up on, in groups.' },
  'browser-changes': {
    name: 'Browser changes',
    description: 'What browsers will remove or no longer allow, and which scripts still use it.',
  },
  'network-errors': { name: 'Network errors', description: 'Requests that failed, or had an error as their response.' },
  'csp-policies': {
    name: 'CSP policies',
    description:
      'The policies that reports quote, what the next one should allow, and a check of it over past reports.',
  },
  scripts: {
    name: 'Scripts',
    description: 'The scripts a site loads: who allowed them, what they are, and whether their integrity is assured.',
  },
  pages: { name: 'Monitored pages', description: 'The pages a site wants watched, and what scheduled scans found.' },
  scans: { name: 'Scans', description: 'What a page’s scheduled scans found, and what changed between them.' },
  'alert-deliveries': { name: 'Alerts', description: 'What became of each alert.' },
  compliance: { name: 'Compliance', description: 'Readiness for PCI DSS 4.0, with the evidence.' },
  health: { name: 'Health', description: 'For load balancers and container platforms; no key is needed.' },
}

type TaggedName = OperationName | 'health'

export const tagOf = (name: TaggedName): string => tags[name.split('.')[0] as keyof typeof tags].name

export function tagsOf(operations: readonly TaggedName[]) {
  const used = new Set(operations.map(tagOf))
  return Object.values(tags).filter(({ name }) => used.has(name))
}
