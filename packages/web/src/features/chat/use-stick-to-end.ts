import { elementScroll, type VirtualItem, type VirtualizerOptions } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { createScrollPosition, type ScrollPosition } from './scroll-position.ts'

interface StickToEnd extends Pick<ScrollPosition, 'scrollToEnd' | 'leave' | 'onRender'> {
  isAtEnd: boolean
  /** For the virtualizer, which must not scroll while the list sticks to its end. */
  scrollTo: VirtualizerOptions<HTMLDivElement, Element>['scrollToFn']
}

interface StickToEndOptions {
  /** At this distance in pixels, the list is at its end. */
  threshold: number
  /** Whether the list sticks to its end. */
  isFollowing: boolean
  rows: RefObject<() => readonly VirtualItem[]>
}

/** Keeps the scroll position of a list while its layout changes. */
export function useStickToEnd(
  scroller: RefObject<HTMLDivElement | null>,
  { threshold, isFollowing, rows }: StickToEndOptions,
): StickToEnd {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const following = useRef(isFollowing)
  const [position] = useState(() =>
    createScrollPosition({
      threshold,
      scroller: () => scroller.current,
      rows: () => rows.current(),
      isFollowing: () => following.current,
      onChange: setIsAtEnd,
    }),
  )

  useLayoutEffect(() => {
    following.current = isFollowing
  }, [isFollowing])
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const { update, onResize } = position
    // In the capture phase, so before the virtualizer, which renders other rows and thereby changes the layout.
    element.addEventListener('scroll', update, { capture: true, passive: true })
    const observer = new ResizeObserver(update)
    observer.observe(element)
    window.addEventListener('resize', onResize)
    return () => {
      element.removeEventListener('scroll', update, { capture: true })
      window.removeEventListener('resize', onResize)
      observer.disconnect()
    }
  }, [scroller, position])

  return {
    ...position,
    isAtEnd,
    scrollTo: useCallback(
      // Only commands have a `behavior`.
      (...args) => position.scrollTo(() => elementScroll(...args), args[1].behavior !== undefined),
      [position],
    ),
  }
}
