/** The report of a moment in the form of the readiness, which the cards show. */
export function readinessOf({ evidence, observed, requirements, watchedPageIds }: any) {
  const { site, asOf, plan, pages, changes } = evidence
  return {
    siteId: site.id,
    siteName: site.name,
    generatedAt: asOf,
    requirements,
    evidence: {
      scripts: observed.scripts,
      uninventoriedUnprotected: observed.uninventoriedCount,
      pages: pages.map((page: any) => ({ ...page, watched: watchedPageIds.includes(page.id) })),
      changes: changes.map(({ headers, alertIds, ...change }: any) => ({
        ...change,
        headers: headers.map(({ header }: any) => header),
        alerted: alertIds.length > 0,
      })),
      window: pages.length === 0 ? null : observed.window,
      suggestions: [],
    },
    plan: { current: plan.name, requiredFor: {} },
  }
}
