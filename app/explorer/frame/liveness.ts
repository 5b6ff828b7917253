import { useApp } from '../app-context.ts'
import { ago } from '../components/time.ts'
import { html, useEffect, useState } from '../html.ts'

/** Age of the shown data: a dot and a text. */
export function Liveness() {
  const { status } = useApp().api
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  const isPaused = Date.now() < status.pausedUntil
  const [tone, text] = status.isAway
    ? ['bad', 'not reachable']
    : isPaused
      ? ['warn', 'paused']
      : ['good', ago(Date.now() - status.readAt)]
  if (status.readAt === 0 && tone === 'good') return null
  return html`<span class=${`liveness ${tone}`} title="When the API last responded"><i aria-hidden="true"></i>${text}</span>`
}
