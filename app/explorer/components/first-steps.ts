import { useApp } from '../app-context.ts'
import { html, useState } from '../html.ts'
import { Copy } from './copy.ts'

const formats: Readonly<Record<string, string>> = {
  JSON: '',
  nginx: 'nginx',
  Apache: 'apache',
  Caddy: 'caddy',
  Express: 'express',
}

/** First steps for a tenant without sites, or for a site without reports. undefined without sites */
export function FirstSteps({ siteId }: { siteId?: string }) {
  const { me } = useApp()
  const [format, setFormat] = useState('JSON')
  const tenant = me?.tenant.id
  const created = `security-reporting sites create --tenant ${tenant} --name Shop --host shop.example.com`
  const option = formats[format] && ` --format ${formats[format]}`
  const headers = `security-reporting sites headers --tenant ${tenant} --site ${siteId ?? 'ID'}${option}`
  return html`<section id="first-steps" class="card" aria-labelledby="first-steps-title" tabindex="-1">
    <div class="card-head"><${siteId ? 'h2' : 'h1'} id="first-steps-title">${siteId ? 'No report yet' : 'No site yet'}<//></div>
    <ol>
      ${!siteId && html`<li>Create a site with its hosts. The command prints its id and headers: <${Command} text=${created} /></li>`}
      <li>Print the site’s response headers, or the configuration for your server:
        <div class="segments" role="group" aria-label="Server">
          ${Object.keys(formats).map((name) => html`<button key=${name} type="button" aria-pressed=${name === format ? 'true' : 'false'} onClick=${() => setFormat(name)}>${name}</button>`)}
        </div>
        <${Command} text=${headers} /></li>
      <li>Send these headers with the pages of the site. Browsers then report to the collector.</li>
      <li>Open <code>/try</code> on the collector to send a first report from your own browser.</li>
      <li>Keep this page open: it shows reports as soon as they arrive.</li>
    </ol>
  </section>`
}

export const Command = ({ text }: { text: string }) =>
  html`<div class="command"><pre tabindex="0">${text}</pre><${Copy} label="Copy" what="the command" text=${text} /></div>`
