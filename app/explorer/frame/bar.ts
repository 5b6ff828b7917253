import { useApp } from '../app-context.ts'
import { Chip } from '../components/chip.ts'
import { number } from '../components/format.ts'
import { Menu, MenuItem } from '../components/menu.ts'
import { zoneOf } from '../components/time.ts'
import { html, useEffect, useRef, useState } from '../html.ts'
import { applies, request, takes } from '../requests.ts'
import type { Condition } from '../state.ts'
import { useRead } from '../use-read.ts'
import { views } from '../views.ts'
import { FilterPicker } from './filter-picker.ts'
import { Liveness } from './liveness.ts'
import { MoreMenu } from './more-menu.ts'
import { WindowMenu } from './window-menu.ts'

/** Window, filters, noise, zone, liveness and the menu. */
export function Bar({ isPicking, setPicking }: { isPicking: boolean; setPicking: (is: boolean) => void }) {
  const { state } = useApp()
  const path = views[state.view]?.path ?? ''
  const bar = useRef<HTMLElement | null>(null)
  useEffect(() => {
    // Table heads stay below the bar, which can have several lines.
    const observer = new ResizeObserver(() => {
      const isSticky = bar.current && getComputedStyle(bar.current).position === 'sticky'
      document.documentElement.style.setProperty('--bar', isSticky ? `${bar.current?.offsetHeight}px` : '0px')
    })
    if (bar.current) observer.observe(bar.current)
    return () => observer.disconnect()
  }, [])
  return html`<header class="bar" ref=${bar}>
    ${!views[state.view]?.isTimeless && html`<${WindowMenu} />`}
    <${Chips} path=${path} isPicking=${isPicking} setPicking=${setPicking} />
    <div class="ends">
      ${takes(path, 'noise') && html`<${NoiseSwitch} />`}
      <${ZoneMenu} />
      <${Liveness} />
      <${MoreMenu} />
    </div>
  </header>`
}

function Chips({ path, isPicking, setPicking }: any) {
  const { state, go } = useApp()
  const [edited, setEdited] = useState<Condition | undefined>(undefined)
  const toggle = (is: any) => {
    if (!is) setEdited(undefined)
    setPicking(is)
  }
  return html`
    ${
      state.conditions.length > 0 &&
      html`<ul class="chips" aria-label="Filters" data-rows>
      ${state.conditions.map(
        (
          condition,
        ) => html`<${Chip} key=${`${condition.name} ${condition.operator}`} condition=${condition} isIdle=${!applies(state, path, condition)}
          edit=${() => {
            setEdited(condition)
            setPicking(true)
          }}
          remove=${() => go({ conditions: state.conditions.filter((one) => one !== condition) })} />`,
      )}
    </ul>`
    }
    ${
      path &&
      html`<${Menu} class="add" label=${html`+ Filter <kbd>/</kbd>`} name="Add a filter" data-key="add filter" isOpen=${isPicking} onToggle=${toggle}>
      ${(close: () => void) =>
        html`<${FilterPicker} key=${edited ? `${edited.name} ${edited.operator}` : ''} path=${path} edited=${edited} close=${() => {
          setEdited(undefined)
          close()
        }} />`}
    <//>`
    }`
}

/** Reports of extensions, browsers and injecting products: hidden unless they are switched on. */
function NoiseSwitch() {
  const { state, go } = useApp()
  const isHidden = state.noise === 'exclude'
  const read = useRead(isHidden ? request(state, '/v1/reports/count', { noise: 'only' }) : undefined)
  const count = read.body?.data.reportCount
  const label = { exclude: 'Noise hidden', include: 'Noise shown', only: 'Noise only' }[state.noise]
  return html`<button type="button" class="control" role="switch" aria-checked=${isHidden ? 'true' : 'false'} data-key="noise"
    title="Reports caused by extensions, browsers and products that inject code" onClick=${() => go({ noise: isHidden ? 'include' : 'exclude' })}>
    ${label}${isHidden && count !== undefined && ` · ${number(count)}`}
  </button>`
}

function ZoneMenu() {
  const { state, go } = useApp()
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const zone = zoneOf(state)
  const zones = [...new Set(['UTC', own, zone])]
  return html`<${Menu} end label=${html`${zone} <span aria-hidden="true">▾</span>`} name=${`Time zone: ${zone}`} data-key="zone">
    ${(close: () => void) =>
      zones.map(
        (name) => html`<${MenuItem} key=${name} current=${name === zone}
      pick=${() => {
        go({ timeZone: name === 'UTC' ? undefined : name })
        close()
      }}>${name}${name === own && ' (yours)'}<//>`,
      )}
  <//>`
}
