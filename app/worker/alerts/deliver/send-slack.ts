import { truncate } from '../../../import/normalise/truncate.ts'
import { postJson } from './post-json.ts'
import type { Send } from './sender.ts'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** No markup, and no link preview, whose server would learn about the alert. */
const plain = { mrkdwn: false, unfurl_links: false, unfurl_media: false }

const escaped = (text: string) => text.replace(/[&<>]/g, (character) => escapes[character] ?? '')

/** Characters of a section. */
const maxSection = 3_000

const withButton = (text: string, url: string) => [
  { type: 'section', text: { type: 'plain_text', text: truncate(text, maxSection) } },
  { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open in the explorer' }, url }] },
]

/** Slack reads <!channel> and <https://...|name> in texts of pages and reports, so they are escaped. */
export const sendSlack: Send = ({ address }, outgoing, settings) =>
  postJson(
    {
      ...settings,
      address,
      body: JSON.stringify({
        text: escaped(outgoing.text),
        ...plain,
        ...(outgoing.url && { blocks: withButton(escaped(outgoing.text), outgoing.url) }),
      }),
      headers: {},
      finalStatuses: [400, 403, 404, 410],
      hasErrorWord: true,
    },
    outgoing,
  )
