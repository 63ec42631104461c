import { type RefObject, useLayoutEffect } from 'react'

/** Whether the composer may have the focus unasked: not where a keyboard would slide in for that. */
export function mayFocusUnasked(): boolean {
  return matchMedia('(pointer: fine)').matches
}

/** To where one writes, in the channel that `element` is of. */
export function focusComposer(element: Element | null): void {
  element?.closest('main')?.querySelector<HTMLElement>('.composer textarea, .composer input')?.focus()
}

/** What is taken off the page with the focus in it leaves the focus to the composer. */
export function useFocusLeft(ref: RefObject<Element | null>): void {
  useLayoutEffect(() => {
    const element = ref.current
    return () => {
      if (element?.contains(document.activeElement) && mayFocusUnasked()) focusComposer(element)
    }
  }, [ref])
}
