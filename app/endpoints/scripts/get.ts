import { z } from 'zod'
import { uuid } from '../../../schema/params.ts'
import { Problem } from '../../../schema/problems.ts'
import { script, scriptDecision } from '../../../schema/responses/script.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'
import { inventoryRequirement } from './inventory-requirement.ts'
import { readScript } from './read-inventory.ts'

export const scriptsGet = endpoint({
  name: 'scripts.get',
  path: '/v1/sites/{siteId}/scripts/{scriptId}',
  summary: 'Read one script',
  description: 'A script of the site’s inventory, as in the list, with all decisions about it, oldest first.',
  pathParams: { siteId: uuid('The site'), scriptId: uuid('The script') },
  requires: [inventoryRequirement],
  window: windows.month,
  response: z.object({
    data: script
      .extend({
        decisions: z.array(scriptDecision).meta({ description: 'Oldest first; decisions are immutable.' }),
      })
      .meta({ id: 'ScriptWithDecisions', description: 'A script with the decisions about it.' }),
  }),
  async handle({ caller: { tenant }, params: { siteId, scriptId }, window, read }) {
    const found = await readScript(read, { tenant, siteId, window }, scriptId)
    if (!found) throw new Problem('not_found', 'There is no such script')
    const decisions = found.decisions.map(({ owner: _, reviewBy: __, ...decision }) => decision)
    return { data: { ...found.script, decisions } }
  },
})
