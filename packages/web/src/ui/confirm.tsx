import { createContext, type ReactNode, Suspense, useContext, useState } from 'react'
import { useLocation } from 'react-router'
import type { Confirmation } from './confirm-dialog.tsx'
import { lazyComponent } from './lazy-component.tsx'

const ConfirmDialog = lazyComponent(() => import('./confirm-dialog.tsx').then(part => part.ConfirmDialog))

const Context = createContext<(confirmation: Confirmation) => void>(() => {})

/** Opens a dialog that confirms an action. */
export function useConfirm(): (confirmation: Confirmation) => void {
  return useContext(Context)
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  const [confirmation, setConfirmation] = useState<Confirmation>()
  // Navigation closes the dialog.
  const [lastPathname, setLastPathname] = useState(pathname)
  if (lastPathname !== pathname) {
    setLastPathname(pathname)
    setConfirmation(undefined)
  }
  return (
    <Context value={setConfirmation}>
      {children}
      {confirmation && (
        <Suspense fallback={null}>
          <ConfirmDialog
            {...confirmation}
            // What it ran may have opened the next one.
            onClose={() => setConfirmation(shown => (shown === confirmation ? undefined : shown))}
          />
        </Suspense>
      )}
    </Context>
  )
}
