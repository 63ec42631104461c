import { type ReactNode, Suspense, useState } from 'react'
import { useLocation } from 'react-router'
import { lazyComponent } from './lazy-component.tsx'
import { type Confirmation, ConfirmContext } from './use-confirm.ts'

const ConfirmDialog = lazyComponent(() => import('./confirm-dialog.tsx').then(part => part.ConfirmDialog))

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
    <ConfirmContext value={setConfirmation}>
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
    </ConfirmContext>
  )
}
