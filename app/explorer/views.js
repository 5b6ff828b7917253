// @ts-check
/**
 * @module Views by name, in the order of the rail.
 * `params` are the view's own parameters; `isOfSite`: it shows one site at a time; `path`: the operation of its filters.
 */

/**
 * @typedef {object} View
 * @property {string} label
 * @property {string} [group] heading in the rail; a view without one has no line there
 * @property {string[]} [params]
 * @property {boolean} [isOfSite]
 * @property {boolean} [isTimeless] its operations take no window
 * @property {string} [path]
 */

/** @type {Record<string, View>} */
export const views = {
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
}
