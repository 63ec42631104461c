import { type RefObject, useLayoutEffect } from 'react'

/** Whether the composer may take the focus by itself. On a touch screen that would open the keyboard. */
export function canAutoFocus(): boolean {
  return matchMedia('(pointer: fine)').matches
}

/** Focuses the composer of the channel that contains `element`. */
export function focusComposer(element: Element | null): void {
  element?.closest('main')?.querySelector<HTMLElement>('.composer textarea, .composer input')?.focus()
}

/** Moves the focus to the composer if the element is unmounted while it has the focus. */
export function useReturnFocus(ref: RefObject<Element | null>): void {
  useLayoutEffect(() => {
    const element = ref.current
    return () => {
      if (element?.contains(document.activeElement) && canAutoFocus()) focusComposer(element)
    }
  }, [ref])
}
