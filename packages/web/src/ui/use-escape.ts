import { useEffect } from 'react'

/** Calls `close` on Escape, unless a dialog or menu is open, or the event was handled. */
export function useEscape(close: () => void, enabled = true): void {
  useEffect(() => {
    if (!enabled) return
    const onKey = (event: KeyboardEvent) => {
      const overlay = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]')
      if (event.key === 'Escape' && !overlay && !event.defaultPrevented) close()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [close, enabled])
}
