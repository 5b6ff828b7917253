import { keyPattern } from '../../../schema/key-pattern.ts'
import { html, useEffect, useRef } from '../html.ts'

/** Form for the key, above the current view. `isAlone`: no view is shown */
export function KeyForm({ message, isAlone, use }: { message: string; isAlone: boolean; use: (key: string) => void }) {
  const input = useRef<HTMLInputElement | null>(null)
  useEffect(() => input.current?.focus(), [])
  const submit = (event: any) => {
    event.preventDefault()
    use(input.current?.value ?? '')
  }
  return html`<form class="card key-form" onSubmit=${submit}>
    <${isAlone ? 'h1' : 'h2'}>Your API key<//>
    ${message && html`<p class="bad" role="alert">${message}</p>`}
    <label><span>Key</span>
      <input ref=${input} name="key" type="password" autocomplete="off" required pattern=${keyPattern.source}
        title="A key such as srk_live_ and 40 letters and digits" /></label>
    <button type="submit" class="primary">Open</button>
    <p class="muted">The key stays in this tab until you close it, and is sent only to this API.</p>
  </form>`
}
