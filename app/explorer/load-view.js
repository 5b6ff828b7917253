// @ts-check
/** @module Modules of views, each read when it is first shown. */

/** @type {Record<string, () => Promise<{ View: (props: object) => any }>>} */
const modules = {
  overview: () => import('./views/overview.js'),
  reports: () => import('./views/reports.js'),
  issues: () => import('./views/issues.js'),
  issue: () => import('./views/issue.js'),
  policy: () => import('./views/policy.js'),
  alerts: () => import('./views/alerts.js'),
  scripts: () => import('./views/scripts.js'),
  pages: () => import('./views/pages.js'),
  pci: () => import('./views/pci.js'),
}

/** @param {string} name */
export const loadView = async (name) => (await modules[name]()).View
