import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect } from 'react'

/**
 * Who reads at the end stays there when the list gets another height: the composer grows with what one writes, a
 * keyboard slides in. `threshold`: so many pixels from the end are at the end. `onEnd` is told where the list stands then.
 */
export function useSteadyEnd(
  list: Virtualizer<HTMLDivElement, Element>,
  scroller: RefObject<HTMLElement | null>,
  threshold: number,
  onEnd: (atEnd: boolean) => void,
): void {
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let height = element.clientHeight
    const observer = new ResizeObserver(() => {
      const left = element.scrollHeight - element.scrollTop - height
      if (element.clientHeight === height) return
      height = element.clientHeight
      if (left <= threshold) list.scrollToEnd()
      onEnd(element.scrollHeight - element.scrollTop - height <= threshold)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [list, scroller, threshold, onEnd])
}
