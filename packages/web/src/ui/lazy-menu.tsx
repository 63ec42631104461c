import { type ReactNode, Suspense, useRef, useState } from 'react'
import { lazyPart } from './lazy-part.tsx'
import type { MenuEntry } from './menu.tsx'

const load = () => import('./menu.tsx').then(part => part.MenuPopover)
const MenuPopover = lazyPart(load)
// What does not come ahead is asked for again where it is needed.
const loadAhead = () => void load().catch(() => undefined)

interface LazyMenuProps {
  label: string
  className: string
  entries: readonly MenuEntry[]
  children: ReactNode
}

/** A button that opens a menu. The menu's code comes when the button is pointed at or focused. */
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
        onPointerEnter={loadAhead}
        onFocus={loadAhead}
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
