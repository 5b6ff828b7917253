/**
 * @module Views by name, in the order of the rail.
 * `params` are the view's own parameters; `isOfSite`: it shows one site at a time; `path`: the operation of its filters.
 */

export interface View {
  label: string
  /** Heading in the rail; a view without one has no line there */
  group?: string | undefined
  params?: string[] | undefined
  isOfSite?: boolean | undefined
  /** Its operations take no window */
  isTimeless?: boolean | undefined
  path?: string | undefined
}

export const views: Record<string, View> = {
  overview: { label: 'Overview', group: '', path: '/v1/reports/histogram' },
  reports: { label: 'Reports', path: '/v1/reports', params: ['reportId'] },
  issues: { label: 'Issues', group: 'Work', path: '/v1/issues', params: ['new'] },
  issue: { label: 'Issue', isOfSite: true, params: ['issueId', 'reportId'] },
  policy: { label: 'Policy', group: 'Work', isOfSite: true, params: ['policyId', 'flip', 'form', 'limit'] },
  alerts: { label: 'Alerts', group: 'Work', params: ['destinationId', 'eventType'], isTimeless: true },
  scripts: { label: 'Scripts', group: 'Inventory', isOfSite: true, params: ['status', 'pageScope', 'scriptId'] },
  pages: {
    label: 'Pages',
    group: 'Inventory',
    isOfSite: true,
    params: ['pageId', 'scanId', 'otherId'],
    isTimeless: true,
  },
  pci: { label: 'PCI DSS', group: 'Inventory', isOfSite: true, params: ['asOf'], isTimeless: true },
  setup: { label: 'Setup', group: 'Inventory', isOfSite: true, isTimeless: true },
}
