import { elementScroll, type VirtualItem, type VirtualizerOptions } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'

type Key = VirtualItem['key']

interface StickToEnd {
  isAtEnd: boolean
  scrollToEnd(): void
  /** Runs `scroll`, which scrolls away from the end because the user asked for it. */
  leave(scroll: () => void): void
  /** Call it after each render: restores the distance from the end, or scrolls to the end if the last row is new. */
  onRender(lastKey: string | undefined): void
  /** For the virtualizer, which must not scroll while the list sticks to its end. */
  scrollTo: VirtualizerOptions<HTMLDivElement, Element>['scrollToFn']
}

interface StickToEndOptions {
  /** At this distance in pixels, the list is at its end. */
  threshold: number
  /** Whether the list sticks to its end. */
  follows: boolean
  /** The rows of the list, from the first one. `start` is the distance in pixels from the start of the list. */
  rows: RefObject<() => readonly { key: Key; start: number }[]>
}

/** The row that keeps its position in the viewport while the layout changes. */
interface Anchor {
  key: Key
  /** From the upper edge of the viewport, in pixels. */
  top: number
}

interface ScrollState {
  isAtEnd: boolean
  /** Undefined at the end, and after a scroll by the client until the next change. */
  anchor: Anchor | undefined
  /** From the end, in pixels. */
  distance: number
  lastKey: string | undefined
  scrollTop: number
  scrollHeight: number
  clientHeight: number
}

const initialState: ScrollState = {
  isAtEnd: true,
  anchor: undefined,
  distance: 0,
  lastKey: undefined,
  scrollTop: 0,
  scrollHeight: 0,
  clientHeight: 0,
}

/**
 * Sticks to the end of a list until the user scrolls away. The browser clamps the scroll position when the content shrinks
 * or the viewport grows. So only a position that changes while the layout stays the same leaves the end, and every change
 * of the layout restores the distance from it. Away from the end, every change restores the position of the first row that
 * started in the viewport when the user last scrolled. The corrections of the virtualizer alone are sums of differences,
 * which drift if changes follow each other quickly.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLDivElement | null>,
  { threshold, follows, rows }: StickToEndOptions,
): StickToEnd {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const following = useRef(follows)
  const state = useRef<ScrollState>({ ...initialState })

  const update = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const last = state.current
    const { scrollHeight, clientHeight } = element
    const end = scrollHeight - clientHeight
    const sameLayout = scrollHeight === last.scrollHeight && clientHeight === last.clientHeight
    const moved = Math.abs(element.scrollTop - last.scrollTop) > 1
    const scrolled = moved && sameLayout
    if (last.isAtEnd && following.current && !scrolled) {
      element.scrollTop = end - last.distance
    } else {
      const { anchor } = last
      const anchored = anchor && !scrolled && rows.current().find(({ key }) => key === anchor.key)
      if (anchored) element.scrollTop = anchored.start - anchor.top
      const distance = end - element.scrollTop
      // The browser rounds positions.
      last.distance = distance < 2 ? 0 : distance
      last.isAtEnd = distance <= threshold
      if (last.isAtEnd) last.anchor = undefined
      else if (!anchored) last.anchor = findAnchor(rows.current(), element)
      setIsAtEnd(last.isAtEnd)
    }
    Object.assign(last, { scrollTop: element.scrollTop, scrollHeight, clientHeight })
  }, [scroller, threshold, rows])

  useLayoutEffect(() => {
    following.current = follows
  }, [follows])
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    // In the capture phase, so before the virtualizer, which renders other rows and thereby changes the layout.
    element.addEventListener('scroll', update, { capture: true, passive: true })
    const observer = new ResizeObserver(update)
    observer.observe(element)
    // A window that grows and shrinks back within a frame leaves the layout as it was, but the browser has clamped the
    // position. Resize events come before scroll events (HTML Living Standard, "update the rendering").
    const onResize = () => {
      state.current.clientHeight = -1
      update()
    }
    window.addEventListener('resize', onResize)
    return () => {
      element.removeEventListener('scroll', update, { capture: true })
      window.removeEventListener('resize', onResize)
      observer.disconnect()
    }
  }, [scroller, update])

  return {
    isAtEnd,
    onRender: useCallback(
      lastKey => {
        const { current } = state
        if (current.isAtEnd && lastKey !== current.lastKey) current.distance = 0
        current.lastKey = lastKey
        update()
      },
      [update],
    ),
    scrollToEnd: useCallback(() => {
      Object.assign(state.current, { isAtEnd: true, distance: 0, anchor: undefined })
      setIsAtEnd(true)
      const element = scroller.current
      if (element) element.scrollTop = element.scrollHeight
      update()
    }, [scroller, update]),
    leave: useCallback(
      scroll => {
        Object.assign(state.current, { isAtEnd: false, anchor: undefined })
        scroll()
        update()
      },
      [update],
    ),
    scrollTo: useCallback(
      (...args) => {
        if (state.current.isAtEnd && following.current) return update()
        elementScroll(...args)
        // Only corrections of the virtualizer have `adjustments`; the anchor survives those.
        if (args[1].adjustments === undefined) state.current.anchor = undefined
      },
      [update],
    ),
  }
}

/** The first row that starts in the viewport, or the row that fills it. */
function findAnchor(
  rows: readonly { key: Key; start: number }[],
  { scrollTop, clientHeight }: HTMLElement,
): Anchor | undefined {
  const next = rows.findIndex(({ start }) => start >= scrollTop)
  const row = rows[next]
  const first = row && row.start < scrollTop + clientHeight ? row : (rows[next - 1] ?? rows.at(-1))
  return first && { key: first.key, top: first.start - scrollTop }
}
