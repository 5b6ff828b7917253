/** @module Modules of views, each read when it is first shown. */

const modules: Record<string, () => Promise<{ View: (props: object) => any }>> = {
  overview: () => import('./views/overview.ts'),
  reports: () => import('./views/reports.ts'),
  issues: () => import('./views/issues.ts'),
  issue: () => import('./views/issue.ts'),
  policy: () => import('./views/policy.ts'),
  alerts: () => import('./views/alerts.ts'),
  scripts: () => import('./views/scripts.ts'),
  pages: () => import('./views/pages.ts'),
  pci: () => import('./views/pci.ts'),
  setup: () => import('./views/setup.ts'),
}

export const loadView = async (name: string) => (await modules[name]?.())?.View
