import { postJson } from './post-json.ts'
import type { Send } from './sender.ts'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** No markup, and no link preview, whose server would learn about the alert. */
const plain = { mrkdwn: false, unfurl_links: false, unfurl_media: false }

/** Slack reads <!channel> and <https://...|name> in texts of pages and reports, so they are escaped. */
export const sendSlack: Send = ({ address }, outgoing, settings) =>
  postJson(
    {
      ...settings,
      address,
      body: JSON.stringify({
        text: outgoing.text.replace(/[&<>]/g, (character) => escapes[character] ?? ''),
        ...plain,
      }),
      headers: {},
      finalStatuses: [400, 403, 404, 410],
    },
    outgoing,
  )
