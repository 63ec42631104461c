import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect } from 'react'
import type { AtEnd } from './use-at-end.ts'

/**
 * Who reads at the end stays there when the list gets another height: the composer grows with what one writes, a
 * keyboard slides in.
 */
export function useSteadyEnd(
  list: Virtualizer<HTMLDivElement, Element>,
  scroller: RefObject<HTMLElement | null>,
  { now, look }: AtEnd,
): void {
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let height = element.clientHeight
    const observer = new ResizeObserver(() => {
      if (element.clientHeight === height) return
      height = element.clientHeight
      if (now.current) list.scrollToEnd()
      else look(list, true)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [list, scroller, now, look])
}
