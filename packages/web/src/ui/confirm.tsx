import { createContext, type ReactNode, Suspense, useContext, useState } from 'react'
import type { Confirmation } from './confirm-dialog.tsx'
import { lazyPart } from './lazy-part.tsx'

const ConfirmDialog = lazyPart(() => import('./confirm-dialog.tsx').then(part => part.ConfirmDialog))

const Context = createContext<(confirmation: Confirmation) => void>(() => {})

/** Asks before something is lost. */
export function useConfirm(): (confirmation: Confirmation) => void {
  return useContext(Context)
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [confirmation, setConfirmation] = useState<Confirmation>()
  return (
    <Context value={setConfirmation}>
      {children}
      {confirmation && (
        <Suspense fallback={null}>
          <ConfirmDialog {...confirmation} onClose={() => setConfirmation(undefined)} />
        </Suspense>
      )}
    </Context>
  )
}
