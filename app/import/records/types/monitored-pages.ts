import { monitoredPage } from '../../../../schema/responses/monitored-page.ts'
import { recordType } from '../record-type.ts'

const { position } = monitoredPage.shape

export const monitoredPages = recordType({
  name: 'pages',
  label: 'monitored pages',
  endpointPath: '/v1/sites/{siteId}/pages',
  schema: monitoredPage
    .omit({ latestScan: true })
    .extend({
      position: position.optional().meta({ description: `${position.description} Default: the line number.` }),
    })
    .refine(({ kind, scanUrl }) => kind !== 'payment' || scanUrl !== null, {
      path: ['scanUrl'],
      error: 'is required for a payment page',
    }),
  derived: ['latestScan'],
  foreignKeys: { siteId: 'site' },
  siteFromFlag: true,
  table: 'monitored_pages',
  immutable: { siteId: 'site_id' },
  toRow: (page, line) => ({
    id: page.id,
    site_id: page.siteId,
    kind: page.kind,
    label: page.label,
    pattern: page.pattern,
    scan_url: page.scanUrl ?? '',
    position: page.position ?? line,
  }),
  example: {
    id: '3f0c2a5e-8d41-4b6f-9a57-0c1d2e3f4a5b',
    kind: 'payment',
    label: 'Checkout',
    pattern: 'https://shop.example.com/checkout/*/pay',
    scanUrl: 'https://shop.example.com/checkout/demo/pay',
  },
})
