import type { Chapter, OperationName } from '../pipeline/endpoint.ts'

const tags: Readonly<Record<Chapter | 'health', { readonly name: string; readonly description: string }>> = {
  me: { name: 'Key', description: 'The calling key, its tenant and its budgets.' },
  sites: { name: 'Sites', description: 'The sites that the key can read.' },
  reports: { name: 'Reports', description: 'Browser reports: list, count, plot and rank them.' },
  issues: { name: 'Issues', description: 'Reports about the same problem, grouped across pages.' },
  crashes: { name: 'Crashes', description: 'Crashed pages, grouped.' },
  'browser-changes': {
    name: 'Browser changes',
    description: 'APIs that browsers will remove or restrict, and the scripts that still use them.',
  },
  'network-errors': { name: 'Network errors', description: 'Requests that failed or returned an error.' },
  'csp-policies': {
    name: 'CSP policies',
    description:
      'Policies quoted in reports, a proposal for the next policy, and a check of a policy against past reports.',
  },
  scripts: {
    name: 'Scripts',
    description:
      'The scripts of a site: who authorized them, which libraries they are, and whether their integrity is protected.',
  },
  pages: { name: 'Monitored pages', description: 'The monitored pages of a site and their latest scans.' },
  scans: { name: 'Scans', description: 'Results of scheduled page scans and changes between them.' },
  'alert-deliveries': { name: 'Alerts', description: 'Delivery of each alert.' },
  compliance: { name: 'Compliance', description: 'PCI DSS 4.0 readiness with evidence.' },
  health: { name: 'Health', description: 'For load balancers and container platforms; no key is needed.' },
}

type TaggedName = OperationName | 'health'

export const tagOf = (name: TaggedName): string => tags[name.split('.')[0] as keyof typeof tags].name

export function tagsOf(operations: readonly TaggedName[]) {
  const used = new Set(operations.map(tagOf))
  return Object.values(tags).filter(({ name }) => used.has(name))
}
