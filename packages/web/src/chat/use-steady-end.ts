import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect } from 'react'
import { type AtEnd, isAtEnd } from './use-at-end.ts'

/**
 * Who reads at the end stays there when the list gets another height: the composer grows with what one writes, a
 * keyboard slides in. `threshold`: so many pixels from the end are at the end.
 */
export function useSteadyEnd(
  list: Virtualizer<HTMLDivElement, Element>,
  scroller: RefObject<HTMLElement | null>,
  threshold: number,
  { now, set }: AtEnd,
): void {
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let height = element.clientHeight
    const observer = new ResizeObserver(() => {
      if (element.clientHeight === height) return
      height = element.clientHeight
      if (now.current) list.scrollToEnd()
      else set(isAtEnd(element, threshold))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [list, scroller, threshold, now, set])
}
