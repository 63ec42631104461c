import { Suspense } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useStore } from '../../core/stores/store.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'

const BotModal = lazyComponent(() => import('./bot-modal.tsx').then(part => part.BotModal))

/** The modals that bots opened for the user, one after the other. */
export function BotModals() {
  const [first] = useStore(useClient().invocations.modals, list => list)
  if (!first) return null
  return (
    <Suspense fallback={null}>
      <BotModal key={first.interactionId} opened={first} />
    </Suspense>
  )
}
