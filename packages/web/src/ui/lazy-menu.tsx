import { type ReactNode, Suspense, useRef, useState } from 'react'
import { lazyComponent } from './lazy-component.tsx'
import type { MenuEntry } from './menu.tsx'

const load = () => import('./menu.tsx').then(part => part.MenuPopover)
const MenuPopover = lazyComponent(load)
// If this fails, rendering the menu loads the chunk again.
const preload = () => void load().catch(() => undefined)

interface LazyMenuProps {
  label: string
  className: string
  entries: readonly MenuEntry[]
  children: ReactNode
}

/** A button that opens a menu. The chunk of the menu loads when the pointer or the focus is on the button. */
export function LazyMenu({ label, className, entries, children }: LazyMenuProps) {
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
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
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => setOpen(true)}
      >
        {children}
      </button>
      {open && (
        <Suspense fallback={null}>
          <MenuPopover label={label} entries={entries} trigger={trigger} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
