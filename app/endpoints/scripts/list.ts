import { z } from 'zod'
import { oneOf, uuid } from '../../../schema/params.ts'
import { listResponse, readWindow } from '../../../schema/responses/common.ts'
import { script } from '../../../schema/responses/script.ts'
import { coverageSummary, scriptCounts } from '../../../schema/responses/script-inventory.ts'
import { toReadWindow } from '../../../schema/rules/time/window.ts'
import { advisoryStates, identificationStates, inventorySize, scriptStatuses } from '../../../schema/scripts.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { wholeListPage } from '../../pipeline/page.ts'
import { windows } from '../../pipeline/windows.ts'
import { countStates, summariseCoverage } from './inventory-counts.ts'
import { decisionExemption, inventoryRequirement } from './inventory-requirement.ts'
import {
  compareInInventory,
  inventoryPosition,
  isOnPaymentPage,
  readInventory,
  uninventoriedScripts,
} from './read-inventory.ts'

export const scriptsList = endpoint({
  name: 'scripts.list',
  path: '/v1/sites/{siteId}/scripts',
  summary: 'List the scripts of a site',
  description:
    'The site’s inventory, most recently seen first: scripts seen by browsers and by scans of payment pages, with decisions, identified public libraries and their advisories. Scripts that were not seen in the window are listed too. Every page reads the whole inventory, so a page of 1,000 costs no more than a page of 50. `counts` covers the scripts before the filters `identification` and `advisories`, `coverage` the scripts that match all filters.',
  pathParams: { siteId: uuid('The site') },
  query: {
    pageScope: oneOf(['payment', 'any'], 'With payment, only scripts seen on payment pages in the window').default(
      'any',
    ),
    status: oneOf(scriptStatuses, 'Only scripts with this decision status').optional(),
    identification: oneOf(identificationStates, 'Only scripts with this identification state').optional(),
    advisories: oneOf(advisoryStates, 'Only scripts with this advisory state').optional(),
  },
  requires: [
    inventoryRequirement,
    { capability: 'pages.payment', when: { parameter: 'pageScope', is: 'payment' }, unless: decisionExemption },
    { capability: 'scripts.authorization', when: { parameter: 'advisories' } },
  ],
  window: windows.month,
  page: { ...wholeListPage, position: inventoryPosition, maxLimit: inventorySize },
  response: listResponse(script, {
    counts: scriptCounts,
    coverage: coverageSummary,
    window: readWindow,
    truncated: z.boolean().meta({
      description:
        'True if the site has more than 1,000 scripts, the maximum that a read returns, also for `uninventoried`.',
    }),
  }),
  async handle({ caller: { tenant }, params, window, page, read }) {
    const inventory = await readInventory(read, { tenant, siteId: params.siteId, window })
    const onPaymentOnly = params.pageScope === 'payment'
    const scoped = inventory.entries
      .filter((entry) => !onPaymentOnly || isOnPaymentPage(entry))
      .map((entry) => entry.script)
      .filter(({ status }) => params.status === undefined || status === params.status)
    const listed = scoped.filter(
      ({ identification, advisories }) =>
        (params.identification === undefined || identification.state === params.identification) &&
        (params.advisories === undefined || advisories.state === params.advisories),
    )
    const uninventoried = uninventoriedScripts(inventory, onPaymentOnly)
    return {
      ...page.sortAndCut(listed, compareInInventory),
      counts: countStates(scoped),
      coverage: summariseCoverage(listed, inventory.reporting, uninventoried),
      window: toReadWindow(window),
      truncated: inventory.truncated || uninventoried.total > uninventoried.listed.length,
    }
  },
})
