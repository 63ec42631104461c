import { type ButtonHTMLAttributes, type ReactNode, Suspense, useRef, useState } from 'react'
import { lazyComponent } from './lazy-component.tsx'
import type { MenuEntry } from './menu.tsx'

const load = () => import('./menu.tsx').then(part => part.MenuPopover)
const MenuPopover = lazyComponent(load)
// If this fails, rendering the menu loads the chunk again.
const preload = () => void load().catch(() => undefined)

interface LazyMenuProps extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'tabIndex' | 'onFocus'> {
  label: string
  className: string
  /** Undefined while they load. */
  entries: readonly MenuEntry[] | undefined
  onOpenChange?(open: boolean): void
  children: ReactNode
}

/** A button that opens a menu. The chunk of the menu loads when the pointer or the focus is on the button. */
export function LazyMenu(props: LazyMenuProps) {
  const { label, className, entries, tabIndex, onFocus, onOpenChange, children } = props
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  function change(next: boolean) {
    setOpen(next)
    onOpenChange?.(next)
  }
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={className}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        tabIndex={tabIndex}
        onPointerEnter={preload}
        onFocus={event => {
          preload()
          onFocus?.(event)
        }}
        onClick={() => change(true)}
      >
        {children}
      </button>
      {open && entries && (
        <Suspense fallback={null}>
          <MenuPopover label={label} entries={entries} trigger={trigger} onClose={() => change(false)} />
        </Suspense>
      )}
    </>
  )
}
