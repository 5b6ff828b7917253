import { useApp } from '../app-context.ts'
import { FirstSteps } from '../components/first-steps.ts'
import { ErrorState } from '../components/states.ts'
import { html, useEffect, useRef, useState } from '../html.ts'
import { loadView } from '../load-view.ts'
import { views } from '../views.ts'
import { Bar } from './bar.ts'
import { Help } from './help.ts'
import { KeyForm } from './key-form.ts'
import { Notices } from './notices.ts'
import { Rail } from './rail.ts'

const loaded: Map<string, (props: object) => any> = new Map()

/** Component of a view, whose module is read when it is first shown. */
function useView(name: string) {
  const [, rerender] = useState(0)
  const [error, setError] = useState(undefined)
  useEffect(() => {
    if (loaded.has(name)) return
    setError(undefined)
    loadView(name).then(
      (View) => {
        if (View) loaded.set(name, View)
        rerender((count) => count + 1)
      },
      (reason) => setError(reason),
    )
  }, [name])
  return { View: loaded.get(name), error }
}

/** Rail, bar and the view; the key's form and notices above it. */
export function Frame({ hasKey, message, overlay, setOverlay, useKey, forget }: any) {
  const app = useApp()
  const { state, sites, api } = app
  const { View, error } = useView(state.view)
  const view = views[state.view]
  const shown = useRef('')
  useEffect(() => {
    document.title = `${view?.label} – Explorer`
    const isOther = shown.current !== '' && shown.current !== state.view
    shown.current = state.view
    if (isOther) scrollTo(0, 0)
  }, [state.view])
  const needsSite = view?.isOfSite && !state.siteId && sites?.length > 0
  useEffect(() => {
    if (needsSite) app.go({ siteId: sites[0]?.id }, { replace: true })
  }, [needsSite])
  const needsKey = !hasKey || api.status.isUnauthorized
  const content = () => {
    if (sites?.length === 0) return html`<${FirstSteps} />`
    if (error) return html`<${ErrorState} error=${error} />`
    if (!sites || !View || needsSite) return null
    // A view with its own first steps shows them itself.
    const chosen = state.siteId ? sites.filter(({ id }) => id === state.siteId) : sites
    const isSilent =
      view?.path !== undefined && chosen.length > 0 && chosen.every(({ firstSeen }) => firstSeen === null)
    return html`${isSilent && html`<${FirstSteps} siteId=${chosen[0]?.id} />`}<${View} />`
  }
  return html`<div class="frame">
    <a class="skip" href="#view">Skip to the view</a>
    <${Rail} openHelp=${() => setOverlay('help')} forget=${hasKey && forget} />
    <div class="page">
      ${sites?.length > 0 && html`<${Bar} isPicking=${overlay === 'filter'} setPicking=${(is: any) => setOverlay(is ? 'filter' : '')} />`}
      <${Notices} />
      ${needsKey && html`<${KeyForm} message=${hasKey ? api.status.reason : ''} isAlone=${!(sites?.length > 0)} use=${useKey} />`}
      <main id="view" tabindex="-1">${content()}</main>
      <p class="toast" role="status">${message}</p>
    </div>
    ${overlay === 'help' && html`<${Help} close=${() => setOverlay('')} />`}
  </div>`
}
