import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useState } from 'react'
import { focusComposer } from './composer-focus.ts'
import type { Row } from './rows.ts'

/** Rows where the focus stops: what somebody said or did. */
export function isStop(row: Pick<Row, 'kind'> | undefined): boolean {
  return row?.kind === 'message' || row?.kind === 'pending' || row?.kind === 'invocation'
}

/** The next row of that kind above or below `from`, or undefined at the end. */
export function nextStop(rows: readonly Pick<Row, 'kind'>[], from: number, step: 1 | -1): number | undefined {
  for (let index = from + step; index >= 0 && index < rows.length; index += step) {
    if (isStop(rows[index])) return index
  }
  return undefined
}

/** What is drawn, with one row more, in order. */
export function withIndex(indexes: number[], index: number | undefined): number[] {
  if (index === undefined || indexes.includes(index)) return indexes
  return [...indexes, index].sort((a, b) => a - b)
}

/**
 * Up and down through the rows, Home and End to the first and the last, Enter to what can be done with one, left and right
 * among that, Escape back and then to the composer.
 */
export function useRowKeys(
  rows: readonly Row[],
  frame: RefObject<HTMLElement | null>,
  scrollTo: (index: number) => void,
) {
  const [focused, setFocused] = useState<string>()
  const [wanted, setWanted] = useState<{ key: string }>()
  const at = focused === undefined ? -1 : rows.findIndex(({ key }) => key === focused)

  // A row that was far off is drawn first.
  useEffect(() => {
    if (!wanted) return
    const index = rows.findIndex(({ key }) => key === wanted.key)
    const row = frame.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    row?.focus({ preventScroll: true })
    row?.scrollIntoView({ block: 'nearest' })
  }, [wanted, rows, frame])

  function goTo(index: number | undefined) {
    const row = index === undefined ? undefined : rows[index]
    if (index === undefined || !row) return
    scrollTo(index)
    setFocused(row.key)
    setWanted({ key: row.key })
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const target = event.target
    if (!(target instanceof HTMLElement) || event.defaultPrevented || hasModifier(event)) return
    const row = target.closest<HTMLElement>('[data-index]')
    if (!row || target.matches('input, textarea, select')) return
    const here = Number(row.dataset.index)
    const actions = [...row.querySelectorAll<HTMLElement>('[role="toolbar"] button')]
    const act = actionFor(event.key, target === row, actions.indexOf(target))
    if (act === undefined) return
    event.preventDefault()
    event.stopPropagation()
    switch (act) {
      case 'up':
        return goTo(nextStop(rows, here, -1))
      case 'down': {
        const next = nextStop(rows, here, 1)
        return next === undefined ? focusComposer(frame.current) : goTo(next)
      }
      case 'first':
        return goTo(nextStop(rows, -1, 1))
      case 'last':
        return goTo(nextStop(rows, rows.length, -1))
      case 'row':
        return row.focus()
      case 'composer':
        return focusComposer(frame.current)
      default:
        return actions.at(act % Math.max(1, actions.length))?.focus()
    }
  }

  return {
    /** The row that has the focus, or holds it. */
    focused: at < 0 ? undefined : at,
    props: {
      onKeyDown,
      onFocus(event: FocusEvent<HTMLElement>) {
        const index = event.target.closest<HTMLElement>('[data-index]')?.dataset.index
        setFocused(index === undefined ? undefined : rows[Number(index)]?.key)
      },
      onBlur(event: FocusEvent<HTMLElement>) {
        if (event.currentTarget.contains(event.relatedTarget)) return
        setFocused(undefined)
        setWanted(undefined)
      },
    },
  }
}

type Act = 'up' | 'down' | 'first' | 'last' | 'row' | 'composer' | number | undefined

/** What a key does on a row, on one of its actions (`action` its place, -1 for none), or on something else within it. */
function actionFor(key: string, onRow: boolean, action: number): Act {
  if (key === 'ArrowUp') return 'up'
  if (key === 'ArrowDown') return 'down'
  if (key === 'Escape') return onRow ? 'composer' : 'row'
  if (action >= 0) return key === 'ArrowRight' ? action + 1 : key === 'ArrowLeft' ? action - 1 : undefined
  if (!onRow) return undefined
  if (key === 'Home') return 'first'
  if (key === 'End') return 'last'
  return key === 'Enter' || key === 'ArrowRight' ? 0 : undefined
}

function hasModifier({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey
}
