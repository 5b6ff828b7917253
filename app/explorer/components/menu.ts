import { html, useEffect, useRef, useState } from '../html.ts'

/** Steps of the arrow keys. */
export const arrowSteps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** A button that opens a small panel of controls. Escape and a click elsewhere close it; arrows move in it. */
export function Menu({
  label,
  name,
  class: className = '',
  children,
  isOpen: given,
  onToggle,
  end,
  'data-key': key,
}: {
  label: any
  name?: string
  class?: string
  children: (close: () => void) => any
  isOpen?: boolean
  onToggle?: (isOpen: boolean) => void
  'data-key'?: string
  end?: boolean
}) {
  const [own, setOwn] = useState(false)
  const isOpen = given ?? own
  const set = (is: any) => (onToggle ? onToggle(is) : setOwn(is))
  const root = useRef<HTMLElement | null>(null)
  const surface = useRef<HTMLElement | null>(null)
  const button = useRef<HTMLButtonElement | null>(null)
  const close = () => {
    set(false)
    button.current?.focus()
  }
  useEffect(() => {
    if (!isOpen) return undefined
    const first = controlsIn(surface.current)
    const chosen = first.find((element) => element.getAttribute('aria-current') === 'true') ?? first[0]
    chosen?.focus()
    const onPointer = ({ target }: any) => root.current?.contains(target) || set(false)
    document.addEventListener('pointerdown', onPointer)
    return () => document.removeEventListener('pointerdown', onPointer)
  }, [isOpen])
  const onKeyDown = (event: any) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      close()
    }
    const step = arrowSteps[event.key]
    if (!step || event.target.matches('[type=date], [type=datetime-local]')) return
    event.preventDefault()
    const controls = controlsIn(surface.current)
    controls[(controls.indexOf(document.activeElement) + step + controls.length) % controls.length]?.focus()
  }
  const onFocusOut = ({ relatedTarget }: any) =>
    isOpen && relatedTarget && !root.current?.contains(relatedTarget) && set(false)
  return html`<div class=${`menu ${className}`} ref=${root} onFocusOut=${onFocusOut}>
    <button ref=${button} type="button" class="control" aria-expanded=${isOpen ? 'true' : 'false'} aria-label=${name} data-key=${key} onClick=${() => set(!isOpen)}>
      ${label}
    </button>
    ${isOpen && html`<div class=${`surface ${end ? 'end' : ''}`} popup ref=${surface} onKeyDown=${onKeyDown}>${children(close)}</div>`}
  </div>`
}

const controlsIn = (element: any) => [...(element?.querySelectorAll('button, input, a, select') ?? [])]

export const MenuItem = ({
  pick,
  current = false,
  children,
}: {
  pick: (event: Event) => void
  current?: boolean
  children?: any
}) =>
  html`<button type="button" class="item" aria-current=${current ? 'true' : undefined} onClick=${pick}>${children}</button>`
