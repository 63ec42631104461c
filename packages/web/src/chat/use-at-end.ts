import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useRef, useState } from 'react'

/** Whether one reads at the end of the list. */
export interface AtEnd {
  at: boolean
  /** The same, for what is not drawn anew with it. */
  now: RefObject<boolean>
  /**
   * Looks where the view stands, when all rows of this turn have their height. `follows`: what is added at the end is
   * scrolled to, for who is there.
   */
  look(list: Virtualizer<HTMLDivElement, Element>, follows: boolean): void
}

/**
 * One leaves the end by scrolling up. Where a row comes or grows, it moves away some frames before the view follows, and
 * nobody has left it. `threshold`: so many pixels from the end are at the end.
 */
export function useAtEnd(threshold: number): AtEnd {
  const [at, setAt] = useState(true)
  const now = useRef(true)
  const offset = useRef(0)
  const looking = useRef(false)
  const look = useCallback(
    (list: Virtualizer<HTMLDivElement, Element>, follows: boolean) => {
      if (looking.current) return
      looking.current = true
      queueMicrotask(() => {
        looking.current = false
        if (!list.scrollElement) return
        const before = offset.current
        offset.current = list.scrollOffset ?? 0
        const there = isAtEnd(list.scrollElement, threshold)
        if (!there && follows && offset.current >= before) return
        now.current = there
        setAt(there)
      })
    },
    [threshold],
  )
  return { at, now, look }
}

function isAtEnd(element: Element, threshold: number): boolean {
  return element.scrollHeight - element.scrollTop - element.clientHeight <= threshold
}
