/** The reference's chapters, by the first half of an operation's name. */
const tags: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  me: { name: 'Key', description: 'The calling key, its tenant and their budgets.' },
  reports: { name: 'Reports', description: 'What browsers sent: list, count, plot and rank it.' },
  health: { name: 'Health', description: 'For load balancers and container platforms; no key is needed.' },
}

/** The tag of an operation; its resource's bare name where no chapter is written for it. */
export function tagOf(operation: string): string {
  const [resource = operation] = operation.split('.')
  return tags[resource]?.name ?? resource
}

/** The chapters of these operations, in the table's order. */
export function tagsOf(operations: readonly string[]) {
  const used = new Set(operations.map(tagOf))
  return Object.values(tags).filter(({ name }) => used.has(name))
}
