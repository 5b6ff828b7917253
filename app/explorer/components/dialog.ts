import { html, useEffect, useRef } from '../html.ts'

/** A modal dialog; Escape closes it, and restores the previous focus. */
export function Dialog({
  title,
  close,
  children,
  class: className = '',
}: {
  title: any
  close: () => void
  children?: any
  class?: string
}) {
  const dialog = useRef<HTMLDialogElement | null>(null)
  useEffect(() => {
    const opener = document.activeElement as HTMLElement
    const element = dialog.current
    element?.showModal()
    return () => {
      if (element?.open) element.close()
      if (opener.isConnected) opener.focus()
    }
  }, [])
  const onClick = ({ target }: any) => target === dialog.current && close()
  return html`<dialog ref=${dialog} class=${className} aria-labelledby="dialog-title" onClose=${close} onClick=${onClick}>
    <div class="dialog-head">
      <h2 id="dialog-title">${title}</h2>
      <button type="button" class="quiet" aria-label="Close" onClick=${close}>✕</button>
    </div>
    <div class="dialog-body">${children}</div>
  </dialog>`
}
