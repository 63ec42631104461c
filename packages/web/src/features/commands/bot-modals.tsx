import { Suspense } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useStore } from '../../core/stores/store.ts'
import { ErrorBoundary } from '../../ui/error-boundary.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'

const BotModal = lazyComponent(() => import('./bot-modal.tsx').then(part => part.BotModal))

/** The modals that bots opened for the user, one after the other. */
export function BotModals() {
  const t = useT()
  const { invocations } = useClient()
  const [first] = useStore(invocations.modals, list => list)
  if (!first) return null
  const { interactionId } = first
  const broken = (
    <div className="toast" role="alert">
      <span className="grow">{t('app.partCrashed')}</span>
      <IconButton
        icon="close"
        label={t('action.close')}
        onClick={() => invocations.closeModal(interactionId)}
      />
    </div>
  )
  return (
    <ErrorBoundary resetKey={interactionId} fallback={() => broken}>
      <Suspense fallback={null}>
        <BotModal key={interactionId} opened={first} />
      </Suspense>
    </ErrorBoundary>
  )
}
