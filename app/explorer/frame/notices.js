// @ts-check
import { useApp } from '../app-context.js'
import { html, useEffect, useState } from '../html.js'

/** One line above the view where the API is away or paused. */
export function Notices() {
  const { status, poll } = useApp().api
  const [now, setNow] = useState(Date.now())
  const seconds = Math.ceil((status.pausedUntil - now) / 1000)
  useEffect(() => {
    if (status.pausedUntil <= Date.now()) return undefined
    setNow(Date.now())
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= status.pausedUntil) {
        clearInterval(timer)
        poll(true)
      }
    }, 1000)
    return () => clearInterval(timer)
  }, [status.pausedUntil])
  if (status.isAway)
    return html`<p class="notice bad" role="alert">Cannot reach the API. The page shows the last response.</p>`
  if (seconds > 0)
    return html`<p class="notice warn" role="alert">${status.reason.replace(/\.$/, '')}. Next request in ${seconds} s.</p>`
  return null
}
