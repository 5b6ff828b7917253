import { createApi, forgetKey, readKey, writeKey } from './api.ts'
import { AppContext } from './app-context.ts'
import { focusOn, rememberFocus, restoreFocus, watchFocus } from './focus.ts'
import { Frame } from './frame/frame.ts'
import { html, render, useEffect, useMemo, useRef, useState } from './html.ts'
import { watchKeys } from './keyboard.ts'
import { readState, urlOf } from './state.ts'

const pollMs = 10_000
const announcedMs = 4_000

/** A message that disappears. */
function useMessage() {
  const [message, setMessage] = useState('')
  useEffect(() => {
    if (!message) return undefined
    const timer = setTimeout(() => setMessage(''), announcedMs)
    return () => clearTimeout(timer)
  }, [message])
  return [message, setMessage] as const
}

/** The key's sites and rights, undefined until `start` has read them. */
function useSites(api: ReturnType<typeof createApi>) {
  const [sites, setSites] = useState<any>(undefined)
  const [me, setMe] = useState<any>(undefined)

  async function start() {
    if (!readKey()) return
    try {
      const [found, { body }] = await Promise.all([api.all('/v1/sites?limit=200'), api.get('/v1/me')])
      setSites(found)
      setMe(body.data)
    } catch {
      // The status has the reason, and the next poll tries again.
    }
  }

  const forget = () => {
    forgetKey()
    api.clear()
    setSites(undefined)
    setMe(undefined)
  }
  return { sites, me, start, forget }
}

function App() {
  const [state, setState] = useState(readState)
  const [, rerender] = useState(0)
  const [message, setMessage] = useMessage()
  const [overlay, setOverlay] = useState('')
  const api = useMemo(() => createApi(() => rerender((count) => count + 1)), [])
  const { sites, me, start, forget } = useSites(api)
  const latest = useRef(state)
  latest.current = state

  const go = (changes: any, { replace = false } = {}) => {
    const next = { ...latest.current, ...changes }
    if (changes.view && changes.view !== latest.current.view && !changes.own) next.own = {}
    if (replace) history.replaceState(history.state, '', urlOf(next))
    else {
      rememberFocus()
      history.pushState(null, '', urlOf(next))
    }
    latest.current = readState()
    setState(latest.current)
  }

  const started = useRef(false)
  const silent = useRef(false)
  const shown = state.siteId ? sites?.filter(({ id }: any) => id === state.siteId) : sites
  const isSilent = shown?.length > 0 && shown.every(({ firstSeen }: any) => firstSeen === null)
  started.current = sites !== undefined && sites.length > 0
  silent.current = isSilent
  useEffect(() => {
    const poll = () => {
      if (started.current) api.poll()
      // A first site, or the first report of one.
      if ((!started.current || silent.current) && !document.hidden) start()
    }
    const timer = setInterval(poll, pollMs)
    const onPop = ({ state: remembered }: any) => {
      restoreFocus(remembered)
      setState(readState())
    }
    addEventListener('popstate', onPop)
    document.addEventListener('visibilitychange', poll)
    watchKeys({
      filter: () => setOverlay('filter'),
      help: () => setOverlay('help'),
      view: (name) => go({ view: name }),
    })
    watchFocus()
    start()
    return () => clearInterval(timer)
  }, [])

  const app = {
    state,
    go,
    api,
    sites,
    me,
    announce: setMessage,
    urlOf: (changes: any) => urlOf({ ...state, ...(changes.view && { own: {} }), ...changes }),
  }
  const useKey = (key: any) => {
    writeKey(key)
    Object.assign(api.status, { isUnauthorized: false, reason: '' })
    start().then(() => {
      api.poll(true)
      focusOn(document.getElementById('view'))
    })
    rerender((count) => count + 1)
  }
  return html`<${AppContext.Provider} value=${app}>
    <${Frame} ...${{ message, overlay, setOverlay, useKey, forget }} hasKey=${readKey() !== null} />
  <//>`
}

render(html`<${App} />`, document.getElementById('explorer') as HTMLElement)
