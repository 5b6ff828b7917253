import { z } from 'zod'
import { listAlertedEvents } from '../../../queries/alerts/list-alerted-events.ts'
import { listBusyPages } from '../../../queries/pages/list-busy-pages.ts'
import { judgeChanges, judgeScripts } from '../../../queries/rules/pci/pci-verdict.ts'
import { suggestedPattern } from '../../../queries/rules/pci/suggested-pattern.ts'
import { findAnyDecision } from '../../../queries/scripts/find-any-decision.ts'
import { onlyRow } from '../../../queries/sql/only-row.ts'
import { findSites } from '../../../queries/tenants/find-sites.ts'
import { dayMs } from '../../../schema/durations.ts'
import { uuid } from '../../../schema/params.ts'
import { changeDays } from '../../../schema/pci.ts'
import { type Capability, lowestPlanWith } from '../../../schema/plans.ts'
import { type PciReadiness, pciReadiness } from '../../../schema/responses/pci.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { type Inventory, readInventory, readPaymentPages, uninventoriedScripts } from '../scripts/read-inventory.ts'
import { changeEvidence, pageEvidence } from './change-evidence.ts'
import { scriptEvidence } from './script-evidence.ts'

const maxSuggestions = 5

const emptyInventory: Inventory = {
  entries: [],
  truncated: false,
  reporting: false,
  uninventoried: [],
  uninventoriedCounts: [],
  paymentPages: [],
}

export const compliancePciDss = endpoint({
  name: 'compliance.pci-dss',
  path: '/v1/compliance/pci-dss',
  summary: 'Judge a site’s PCI DSS readiness',
  description:
    'Whether a site is ready for the requirements 6.4.3 and 11.6.1 of PCI DSS 4.0, what is missing and the evidence. Scripts are read over the plan’s whole retention, changes over the last 30 days. Works on every plan with API access; `plan.requiredFor` names the plan that can meet a requirement where the current one cannot.',
  query: { siteId: uuid('The site, which a key of one site need not name; a verdict is never across sites') },
  window: 'retention',
  response: z.object({ data: pciReadiness }),
  async handle({ caller: { tenant }, params: { siteId }, window, retentionFrom, read, readAll }) {
    const now = new Date(window.to)
    const lastDays = { from: Math.max(window.from, window.to - changeDays * dayMs), to: window.to }
    const has = (capability: Capability) => tenant.entitlements.capabilities.includes(capability)
    const [sites, onPlan, rules, pages] = await Promise.all([
      read(findSites(tenant.id, [siteId])),
      has('pages.payment') || read(findAnyDecision(tenant.id)).then((decisions) => decisions.length > 0),
      read(listAlertedEvents(tenant.id, siteId)),
      readPaymentPages(read, { tenant, siteId }),
    ])
    const reader = { read, readAll }
    const site = { tenantId: tenant.id, siteId, pages, now }
    const evidence = { window, seenSince: retentionFrom, paymentPages: pages, hashes: false } as const
    const [inventory, watchedPages, changes, busy] = await Promise.all([
      onPlan && pages.length > 0 ? readInventory(read, { tenant, siteId, ...evidence }) : emptyInventory,
      pageEvidence(reader, site, has('pages.scans')),
      changeEvidence(reader, site),
      pages.length > 0 ? [] : read(listBusyPages(tenant.id, siteId, { window: lastDays, limit: maxSuggestions })),
    ])
    const scripts = scriptEvidence(inventory)
    const uninventoriedUnprotected = uninventoriedScripts(inventory, true).total
    const requirements: PciReadiness['requirements'] = [
      judgeScripts({
        paymentPages: pages.length,
        onPlan,
        truncated: inventory.truncated,
        scripts: scripts.map((script) => ({ ...script, coverage: script.coverage.state })),
        uninventoriedUnprotected,
        measured: inventory.reporting,
      }),
      judgeChanges({ pages: watchedPages, changes, alertedEvents: rules.map(({ eventType }) => eventType) }),
    ]
    return {
      data: {
        siteId,
        siteName: onlyRow(sites).name,
        generatedAt: now.toISOString(),
        requirements,
        evidence: {
          scripts,
          uninventoriedUnprotected,
          pages: watchedPages,
          changes,
          window: pages.length === 0 ? null : { from: new Date(window.from).toISOString(), to: now.toISOString() },
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
