import { createContext, type FocusEvent, type RefObject, useContext, useEffect, useState } from 'react'

/** The next row above or below `from` that can have the focus, or undefined at the end of the list. */
export function findNextStop<Row>(
  rows: readonly Row[],
  from: number,
  step: 1 | -1,
  isStop: (row: Row) => boolean,
): number | undefined {
  for (let index = from + step; index >= 0 && index < rows.length; index += step) {
    const row = rows[index]
    if (row !== undefined && isStop(row)) return index
  }
  return undefined
}

/** Adds an index to the sorted indexes, unless it is undefined or -1. */
export function withIndex(indexes: number[], index: number | undefined): number[] {
  if (index === undefined || index < 0 || indexes.includes(index)) return indexes
  return [...indexes, index].sort((a, b) => a - b)
}

/**
 * Roving tabindex (ARIA Authoring Practices) for a virtualized list: a row with `data-index` is not in the document
 * until the list is scrolled to it.
 */
export function useRovingFocus(
  rows: readonly { key: string }[],
  frame: RefObject<HTMLElement | null>,
  scrollTo: (index: number) => void,
) {
  const [focused, setFocused] = useState<string>()
  const [requested, setRequested] = useState<{ key: string }>()
  const focusedIndex = focused === undefined ? -1 : rows.findIndex(({ key }) => key === focused)

  // An effect, because the row may have to be rendered first.
  useEffect(() => {
    if (!requested) return
    const index = rows.findIndex(({ key }) => key === requested.key)
    const row = frame.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    if (!row) return
    row.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
    // Otherwise, a change of the rows would move the focus back from an element inside of this row.
    setRequested(undefined)
  }, [requested, rows, frame])

  return {
    /** The index of the row that has or contains the focus. */
    focused: focusedIndex < 0 ? undefined : focusedIndex,
    focusRow(index: number | undefined) {
      const row = index === undefined ? undefined : rows[index]
      if (index === undefined || !row) return
      scrollTo(index)
      setFocused(row.key)
      setRequested({ key: row.key })
    },
    props: {
      onFocus(event: FocusEvent<HTMLElement>) {
        const index = event.target.closest<HTMLElement>('[data-index]')?.dataset.index
        setFocused(index === undefined ? undefined : rows[Number(index)]?.key)
      },
      onBlur(event: FocusEvent<HTMLElement>) {
        if (event.currentTarget.contains(event.relatedTarget)) return
        setFocused(undefined)
        setRequested(undefined)
      },
    },
  }
}

const Current = createContext(true)

/** Whether the enclosing row is the tab stop of its list. */
export const CurrentRow = Current.Provider

/** The `tabIndex` of a control in a row. Only controls of the current row are tab stops. */
export function useTabIndex(): -1 | undefined {
  return useContext(Current) ? undefined : -1
}
