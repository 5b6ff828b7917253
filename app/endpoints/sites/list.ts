import { z } from 'zod'
import { listSiteActivity } from '../../../queries/tenants/activity.ts'
import { listSites } from '../../../queries/tenants/sites.ts'
import { uuid } from '../../../schema/params.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { site } from '../../../schema/responses/site.ts'
import { byText } from '../../../schema/rules/by-text.ts'
import { expiredRows } from '../../../schema/rules/time/expired-rows.ts'
import { cursorTime } from '../../pipeline/cursor.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { type SortKey, wholeListPage } from '../../pipeline/page.ts'

interface SitePosition {
  readonly createdAt: number
  readonly id: string
}

const position: SortKey<{ readonly createdAt: string; readonly id: string }, SitePosition> = {
  schema: z.object({ createdAt: cursorTime, id: z.guid() }),
  from: ({ createdAt, id }) => ({ createdAt: Date.parse(createdAt), id }),
}

const oldestFirst = (a: SitePosition, b: SitePosition) => a.createdAt - b.createdAt || byText(a.id, b.id)

export const sitesList = endpoint({
  name: 'sites.list',
  path: '/v1/sites',
  summary: 'List sites',
  description: 'The sites that the key can read, oldest first, with the times of their first and last reports.',
  query: { siteId: uuid('Only this site').optional() },
  page: { ...wholeListPage, position },
  response: listResponse(site),
  async handle({ caller, params, page, retentionFrom, read }) {
    const expired = expiredRows(caller.tenant, retentionFrom)
    const [sites, activity] = await Promise.all([
      read(listSites(caller.tenant.id)),
      read(listSiteActivity(caller.tenant.id, { from: retentionFrom, ...(expired && { expired }) })),
    ])
    const seen = new Map(activity.map((one) => [one.siteId, one]))
    const requested = sites.filter(({ id }) => params.siteId === undefined || id === params.siteId)
    const { data, ...paging } = page.sortAndCut(requested, oldestFirst)
    const listed = data.map(({ id, name, hosts }) => ({
      id,
      name,
      hosts,
      firstSeen: seen.get(id)?.firstSeen ?? null,
      lastSeen: seen.get(id)?.lastSeen ?? null,
    }))
    return { data: listed, ...paging }
  },
})
