import { listAlertDeliveries } from '../../../queries/alerts/deliveries.ts'
import { withAcknowledgements } from '../../../queries/alerts/with-acknowledgements.ts'
import { addition } from '../../../schema/additions.ts'
import { exactText, flag, uuid } from '../../../schema/params.ts'
import { acknowledgedDelivery, alertDelivery } from '../../../schema/responses/alert-delivery.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { wholeListPage } from '../../pipeline/page.ts'
import { timePosition } from '../../pipeline/time-position.ts'

export const alertDeliveriesList = endpoint({
  name: 'alert-deliveries.list',
  path: '/v1/alert-deliveries',
  summary: 'List alert deliveries',
  description:
    'One entry per destination of each alert that was sent, attempted or dropped, newest first. All stored deliveries are listed, independent of the retention of reports.',
  query: {
    siteId: uuid('Only deliveries about this site, and digests that covered it').optional(),
    destinationId: exactText(64, 'Only deliveries to the destination with this id').optional(),
    eventType: exactText(64, 'Only deliveries of this event type, such as csp.new_issue').optional(),
    acknowledgements: addition(
      flag('If true, a delivery also has `acknowledgements`, which people recorded by "alerts ack"'),
    ),
  },
  page: { ...wholeListPage, position: timePosition('createdAt', alertDelivery.shape.id) },
  charges: ['key'],
  response: listResponse(acknowledgedDelivery),
  async handle({ caller: { siteId, tenant }, params: { acknowledgements, ...filter }, page, read }) {
    const rows = await read(listAlertDeliveries(tenant.id, filter, { after: page.after, limit: page.rows }))
    // A digest covers other sites too.
    const isOwn = (id: string) => siteId === null || id === siteId
    const deliveries = rows.map((delivery) => ({ ...delivery, siteIds: delivery.siteIds.filter(isOwn) }))
    if (acknowledgements !== 'true') return page.cut(deliveries)
    return page.cut(await withAcknowledgements(read, tenant.id, deliveries))
  },
})
