import { alertRule } from '../../../../schema/alert-rule.ts'
import { recordType } from '../record-type.ts'

export const alertRules = recordType({
  name: 'alert-rules',
  label: 'alert rules',
  schema: alertRule,
  foreignKeys: { siteId: 'site' },
  table: 'alert_rules',
  toRow: (rule) => ({
    id: rule.id,
    site_id: rule.siteId,
    event_type: rule.eventType,
    kind: rule.kind,
    destination_id: rule.destinationId,
    enabled: rule.enabled,
    min_reports: rule.minReports ?? 0,
    min_browsers: rule.minBrowsers ?? 0,
  }),
  example: {
    id: 'rule-1',
    siteId: null,
    eventType: 'page.headers_changed',
    kind: 'immediate',
    destinationId: 'dest-1',
    enabled: true,
  },
})
