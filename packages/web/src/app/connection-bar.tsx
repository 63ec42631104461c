import { useEffect, useState } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { useClient } from './client-context.ts'
import { useStore } from './store.ts'

const patienceMs = 1500

/** Says that live updates are interrupted; not for a blink of the network. */
export function ConnectionBar() {
  const t = useT()
  const state = useStore(useClient().connection, value => value)
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (state === 'ready' || state === 'ended') return setShown(false)
    const timer = setTimeout(() => setShown(true), patienceMs)
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
