import { useEffect, useState } from 'react'
import { useClient } from '../core/client-context.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { useStore } from '../core/stores/store.ts'

const delayMs = 1500

/** Shows that the gateway is not connected, after a delay that hides short interruptions. */
export function ConnectionBar() {
  const t = useT()
  const state = useStore(useClient().connectionState, value => value)
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (state === 'ready' || state === 'ended') return setShown(false)
    const timer = setTimeout(() => setShown(true), delayMs)
    return () => clearTimeout(timer)
  }, [state])
  return (
    <div role="status">
      {shown && (
        <p className="connection">
          <span className="connection-dot" aria-hidden="true" />
          {state === 'connecting' ? t('connection.connecting') : t('connection.reconnecting')}
        </p>
      )}
    </div>
  )
}
