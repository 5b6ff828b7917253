import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const document = readFileSync(new URL('../../../../../app/worker/alerts/receivers.md', import.meta.url), 'utf8')
const [, code = ''] = document.match(/```js\n([\s\S]*?)```/) ?? []
const source = `${code.split('createServer(async')[0]}\nexport { receivers }`
const { receivers } = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`)) as {
  receivers: Record<string, (message: object) => Readonly<Record<string, unknown>>>
}

const url = 'https://reports.example.com/explorer?view=reports'
const message = (data: object) => ({
  type: 'reports.silence',
  timestamp: '2026-11-01T12:00:00.000Z',
  data: { alertId: 'a', thread: 't', summary: 'No reports', siteName: 'Shop', url, ...data },
})

test('the relay of the document opens and resolves an incident of PagerDuty by one key', () => {
  const [opened, ended] = [{}, { ended: true }].map((data) => receivers.pagerduty?.(message(data)).body)
  expect(opened).toMatchObject({
    event_action: 'trigger',
    dedup_key: 'reports.silence t',
    payload: { summary: 'No reports', source: 'Shop', severity: 'warning' },
    links: [{ href: url, text: 'Explorer' }],
  })
  expect(ended).toMatchObject({ event_action: 'resolve', dedup_key: 'reports.silence t' })
})

test('it sends Teams a card with a button, and closes an alert of Opsgenie by its alias', () => {
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', content: { actions: [{ url }] } }
  expect(receivers.teams?.(message({}))).toMatchObject({ body: { attachments: [card] } })
  expect(receivers.opsgenie?.(message({}))).toMatchObject({
    body: { message: 'No reports', alias: 'reports.silence t' },
  })
  expect(receivers.opsgenie?.(message({ ended: true })).url).toBe(
    'https://api.opsgenie.com/v2/alerts/reports.silence%20t/close?identifierType=alias',
  )
})
