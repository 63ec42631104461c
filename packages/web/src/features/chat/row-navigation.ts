import type { KeyboardEvent, RefObject } from 'react'
import { findNextStop, useRovingFocus } from '../../ui/roving-focus.ts'
import { focusComposer } from './composer-focus.ts'
import type { Row } from './rows.ts'

/** Whether the row can have the focus. */
export function isStop(row: Pick<Row, 'kind'> | undefined): boolean {
  return row?.kind === 'message' || row?.kind === 'pending' || row?.kind === 'invocation'
}

/** The next row above or below `from` that can have the focus, or undefined at the end of the list. */
export function nextStop(rows: readonly Pick<Row, 'kind'>[], from: number, step: 1 | -1): number | undefined {
  return findNextStop(rows, from, step, isStop)
}

/**
 * Keyboard navigation: the arrow keys up and down, Home and End move between rows, Enter moves to the actions of a row,
 * the arrow keys left and right move between these, and Escape moves back to the row and then to the composer.
 */
export function useRowNavigation(
  rows: readonly Row[],
  frame: RefObject<HTMLElement | null>,
  scrollTo: (index: number) => void,
) {
  const { focused, focusRow, props } = useRovingFocus(rows, frame, scrollTo)

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const target = event.target
    if (!(target instanceof HTMLElement) || event.defaultPrevented || hasModifier(event)) return
    const row = target.closest<HTMLElement>('[data-index]')
    if (!row || target.matches('input, textarea, select')) return
    const index = Number(row.dataset.index)
    const buttons = [...row.querySelectorAll<HTMLElement>('[role="toolbar"] button')]
    const move = moveFor(event.key, target === row, buttons.indexOf(target))
    if (move === undefined) return
    event.preventDefault()
    event.stopPropagation()
    switch (move) {
      case 'up':
        return focusRow(nextStop(rows, index, -1))
      case 'down': {
        const next = nextStop(rows, index, 1)
        return next === undefined ? focusComposer(frame.current) : focusRow(next)
      }
      case 'first':
        return focusRow(nextStop(rows, -1, 1))
      case 'last':
        return focusRow(nextStop(rows, rows.length, -1))
      case 'row':
        return row.focus()
      case 'composer':
        return focusComposer(frame.current)
      default:
        return buttons.at(move % Math.max(1, buttons.length))?.focus()
    }
  }

  return {
    focused,
    /** The tab stop of the list: the row with the focus, else the last visible row. */
    current: (lastVisible: number) =>
      focused !== undefined && isStop(rows[focused]) ? focused : nextStop(rows, lastVisible + 1, -1),
    props: { ...props, onKeyDown },
  }
}

/** A number is the index of a button in the toolbar of the row. */
type Move = 'up' | 'down' | 'first' | 'last' | 'row' | 'composer' | number | undefined

/** `button` is the index of the toolbar button with the focus, or -1. */
function moveFor(key: string, onRow: boolean, button: number): Move {
  if (key === 'ArrowUp') return 'up'
  if (key === 'ArrowDown') return 'down'
  if (key === 'Escape') return onRow ? 'composer' : 'row'
  if (button >= 0) return key === 'ArrowRight' ? button + 1 : key === 'ArrowLeft' ? button - 1 : undefined
  if (!onRow) return undefined
  if (key === 'Home') return 'first'
  if (key === 'End') return 'last'
  return key === 'Enter' || key === 'ArrowRight' ? 0 : undefined
}

function hasModifier({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey
}
