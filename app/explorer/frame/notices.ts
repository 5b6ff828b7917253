import { useApp } from '../app-context.ts'
import { html, useEffect, useState } from '../html.ts'

/** Minutes from which a collector is late enough for a notice. */
const lateMinutes = 1

/** One line above the view if the API is unreachable or paused, or if a collector is behind. */
export function Notices() {
  const { status, poll } = useApp().api
  const [now, setNow] = useState(Date.now())
  const minutes = useMinutesBehind()
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
  if (minutes > lateMinutes)
    return html`<p class="notice warn" role="status">Reports of the last ${minutes} minutes are still being stored.</p>`
  return null
}

/** Delay of the collectors in minutes. It is not a request of the API and does not affect its status or budget. */
function useMinutesBehind() {
  const [minutes, setMinutes] = useState(0)
  useEffect(() => {
    const read = () =>
      fetch('/explorer/served/waiting.json')
        .then((response) => response.json())
        .then(({ seconds }) => setMinutes(Math.ceil(seconds / 60)))
        .catch(() => {})
    read()
    const timer = setInterval(read, 15_000)
    return () => clearInterval(timer)
  }, [])
  return minutes
}
