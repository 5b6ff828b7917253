import { z } from 'zod'
import { listBusyPages } from '../../../queries/pages/list-busy-pages.ts'
import { onlyRow } from '../../../queries/sql/rows.ts'
import { findSites } from '../../../queries/tenants/sites.ts'
import { dayMs } from '../../../schema/durations.ts'
import { uuid } from '../../../schema/params.ts'
import { changeDays } from '../../../schema/pci.ts'
import { type Capability, lowestPlanWith } from '../../../schema/plans.ts'
import { pciReadiness } from '../../../schema/responses/pci.ts'
import { suggestedPattern } from '../../../schema/rules/pci/suggested-pattern.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { hasCapability, readReadiness } from './read-readiness.ts'

const maxSuggestions = 5

export const compliancePciDss = endpoint({
  name: 'compliance.pci-dss',
  path: '/v1/compliance/pci-dss',
  summary: 'Check a site’s PCI DSS readiness',
  description:
    'Whether a site is ready for requirements 6.4.3 and 11.6.1 of PCI DSS 4.0, with gaps and evidence. Scripts cover the plan’s whole retention, changes the last 30 days. Works on every plan with API access; if the current plan cannot meet a requirement, `plan.requiredFor` is the plan that can.',
  query: { siteId: uuid('The site; optional for a key restricted to one site. A verdict covers one site') },
  window: 'retention',
  response: z.object({ data: pciReadiness }),
  async handle({ caller: { tenant }, params: { siteId }, window, retentionFrom, read, readAll }) {
    const to = new Date(window.to).toISOString()
    const lastDays = { ...window, from: Math.max(window.from, window.to - changeDays * dayMs) }
    const has = (capability: Capability) => hasCapability(tenant, capability)
    const [sites, readiness] = await Promise.all([
      read(findSites(tenant.id, [siteId])),
      readReadiness({ read, readAll }, { tenant, siteId, window, seenSince: retentionFrom, hashes: false }),
    ])
    const { requirements, scripts, uninventoriedUnprotected, pages, watchedPages, changes } = readiness
    const busy =
      pages.length > 0 ? [] : await read(listBusyPages(tenant.id, siteId, { window: lastDays, limit: maxSuggestions }))
    return {
      data: {
        siteId,
        siteName: onlyRow(sites).name,
        generatedAt: to,
        requirements,
        evidence: {
          scripts,
          uninventoriedUnprotected,
          pages: watchedPages,
          changes,
          window: pages.length === 0 ? null : { from: new Date(window.from).toISOString(), to },
          suggestions: busy.map(({ url }) => ({ url, suggestedPattern: suggestedPattern(url) })),
        },
        plan: {
          current: tenant.plan,
          requiredFor: {
            paymentPages: has('pages.payment') ? null : lowestPlanWith('pages.payment'),
            scans: has('pages.scans') ? null : lowestPlanWith('pages.scans'),
            decisions: has('scripts.authorization') ? null : lowestPlanWith('scripts.authorization'),
          },
        },
      },
    }
  },
})
