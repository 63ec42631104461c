import { type ReactNode, useEffect, useRef } from 'react'

interface SuggestionsProps<Item> {
  id: string
  label: string
  items: readonly Item[]
  /** -1 if none is active. */
  active: number
  keyOf(item: Item, index: number): string
  render(item: Item): ReactNode
  onPick(item: Item): void
  onPoint(index: number): void
  empty?: string
}

/**
 * The listbox of a combobox (ARIA Authoring Practices). The text field keeps the focus and refers to the active option
 * by `aria-activedescendant`.
 */
export function Suggestions<Item>(props: SuggestionsProps<Item>) {
  const { id, label, items, active, keyOf, render, onPick, onPoint, empty } = props
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  if (items.length === 0) {
    return empty ? (
      <div className="suggestions">
        <p className="suggestions-empty" role="status">
          {empty}
        </p>
      </div>
    ) : null
  }
  return (
    <div className="suggestions">
      <p className="suggestions-label" aria-hidden="true">
        {label}
      </p>
      <div ref={list} id={id} className="suggestions-list" role="listbox" aria-label={label}>
        {items.map((item, index) => (
          <div
            key={keyOf(item, index)}
            id={suggestionId(id, index)}
            className="suggestion"
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onMouseMove={() => index === active || onPoint(index)}
            onMouseDown={event => {
              // Keeps the focus in the field.
              event.preventDefault()
              if (event.button === 0) onPick(item)
            }}
          >
            {render(item)}
          </div>
        ))}
      </div>
    </div>
  )
}

function suggestionId(listId: string, index: number): string {
  return `${listId}-${index}`
}

/** Attributes of a textarea that owns the list. ARIA in HTML does not permit the role `combobox` for it. */
export function completionProps(listId: string, count: number, active: number) {
  const open = count > 0
  return {
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-controls': open ? listId : undefined,
    'aria-activedescendant': open ? suggestionId(listId, active) : undefined,
  } as const
}

/** Attributes of an input that owns the list. */
export function comboboxProps(listId: string, count: number, active: number) {
  const open = count > 0
  return {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': open,
    'aria-controls': open ? listId : undefined,
    'aria-activedescendant': open && active >= 0 ? suggestionId(listId, active) : undefined,
  } as const
}
