import type { VirtualItem } from '@tanstack/react-virtual'

type Key = VirtualItem['key']

/** `start` and `end` are distances in pixels from the start of the list. */
type RowPosition = Pick<VirtualItem, 'key' | 'start' | 'end'>

/** The element that scrolls the list. */
export interface Scroller {
  scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}

export interface ScrollPositionOptions {
  /** At this distance in pixels, the list is at its end. */
  threshold: number
  /** Null before the first render. */
  scroller(): Scroller | null
  /** The rows of the list, from the first one. */
  rows(): readonly RowPosition[]
  /** Whether the list sticks to its end. */
  isFollowing(): boolean
  onChange(isAtEnd: boolean): void
}

export interface ScrollPosition {
  /** Call it after each event that can change the layout or the scroll position. */
  update(): void
  /** Call it when the window has a new size. */
  onResize(): void
  /** Call it after each render: restores the distance from the end, or scrolls to the end if the last row is new. */
  onRender(lastKey: string | undefined): void
  scrollToEnd(): void
  /** Runs `scroll`, which scrolls away from the end because the user asked for it. */
  leave(scroll: () => void): void
  /** Runs `scroll` for the virtualizer: a command of the client, or else a correction for rows whose height changed. */
  scrollTo(scroll: () => void, isCommand: boolean): void
}

/** The row that keeps its position in the viewport while the layout changes. */
interface Anchor {
  key: Key
  /** From the upper edge of the viewport, in pixels. */
  top: number
}

interface State {
  isAtEnd: boolean
  /** Undefined at the end. */
  anchor: Anchor | undefined
  /** From the end, in pixels. */
  distance: number
  lastKey: string | undefined
  scrollTop: number
  scrollHeight: number
  clientHeight: number
}

/**
 * Sticks to the end of a list until the user scrolls away. The browser clamps the scroll position when the content
 * shrinks or the viewport grows. So only a position that changes while the layout stays the same leaves the end, and
 * every change of the layout restores the distance from it. Away from the end, every change restores the position of
 * the first row that started in the viewport when the user last scrolled. The corrections of the virtualizer alone are
 * sums of differences, which drift if changes follow each other quickly: it learns of a new position from the next
 * scroll event, and a correction before that event starts from the old position.
 */
export function createScrollPosition({
  threshold,
  scroller,
  rows,
  isFollowing,
  onChange,
}: ScrollPositionOptions): ScrollPosition {
  const last: State = {
    isAtEnd: true,
    anchor: undefined,
    distance: 0,
    lastKey: undefined,
    scrollTop: 0,
    scrollHeight: 0,
    clientHeight: 0,
  }

  function update(): void {
    const element = scroller()
    if (!element) return
    const { scrollHeight, clientHeight } = element
    const end = scrollHeight - clientHeight
    const sameLayout = scrollHeight === last.scrollHeight && clientHeight === last.clientHeight
    const moved = Math.abs(element.scrollTop - last.scrollTop) > 1
    const scrolled = moved && sameLayout
    if (last.isAtEnd && isFollowing() && !scrolled) {
      element.scrollTop = end - last.distance
    } else {
      const { anchor } = last
      const anchored = anchor && !scrolled && rows().find(({ key }) => key === anchor.key)
      if (anchored) element.scrollTop = anchored.start - anchor.top
      // The virtualizer can have measured rows that are not rendered with their new height. The browser may then clamp
      // the position to the old end, where the user has not scrolled. The render follows.
      const isRendered = (rows().at(-1)?.end ?? 0) <= scrollHeight
      if (!anchored || isRendered) {
        const distance = end - element.scrollTop
        // The browser rounds positions.
        last.distance = distance < 2 ? 0 : distance
        last.isAtEnd = distance <= threshold
        if (last.isAtEnd) last.anchor = undefined
        else if (!anchored) last.anchor = findAnchor(rows(), element)
        onChange(last.isAtEnd)
      }
    }
    Object.assign(last, { scrollTop: element.scrollTop, scrollHeight, clientHeight })
  }

  return {
    update,
    onResize() {
      // A window that grows and shrinks back within a frame leaves the layout as it was, but the browser has clamped
      // the position. Resize events come before scroll events (HTML Living Standard, "update the rendering").
      last.clientHeight = -1
      update()
    },
    onRender(lastKey) {
      if (last.isAtEnd && lastKey !== last.lastKey) last.distance = 0
      last.lastKey = lastKey
      update()
    },
    scrollToEnd() {
      Object.assign(last, { isAtEnd: true, distance: 0, anchor: undefined })
      onChange(true)
      const element = scroller()
      if (element) element.scrollTop = element.scrollHeight
      update()
    },
    leave(scroll) {
      Object.assign(last, { isAtEnd: false, anchor: undefined })
      scroll()
      update()
    },
    scrollTo(scroll, isCommand) {
      const element = scroller()
      if (!element || (last.isAtEnd && isFollowing())) return update()
      scroll()
      if (isCommand) last.anchor = undefined
      // A correction comes before the layout that it is for, and the user has not scrolled.
      else last.scrollTop = element.scrollTop
      update()
    },
  }
}

/** The first row that starts in the viewport, or the row that fills it. */
function findAnchor(rows: readonly RowPosition[], { scrollTop, clientHeight }: Scroller): Anchor | undefined {
  const next = rows.findIndex(({ start }) => start >= scrollTop)
  const row = rows[next]
  const first = row && row.start < scrollTop + clientHeight ? row : (rows[next - 1] ?? rows.at(-1))
  return first && { key: first.key, top: first.start - scrollTop }
}
