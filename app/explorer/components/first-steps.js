// @ts-check
import { useApp } from '../app-context.js'
import { html } from '../html.js'

/** For a tenant without sites, which has nothing to show. */
export function FirstSteps() {
  const { me } = useApp()
  const command = `security-reporting sites create --tenant ${me?.tenant.id} --name Shop --host shop.example.com`
  return html`<section id="first-steps" class="card" aria-labelledby="first-steps-title" tabindex="-1">
    <div class="card-head"><h1 id="first-steps-title">No site yet</h1></div>
    <ol>
      <li>Create a site with its hosts. This prints response headers, also for nginx and other servers: <pre tabindex="0">${command}</pre></li>
      <li>Send these headers with the pages of the site: browsers then report to the collector.</li>
      <li>Open <code>/try</code> of the collector to see your own browser’s first report.</li>
      <li>Keep this page open: it shows the site’s reports when the site exists.</li>
    </ol>
  </section>`
}
