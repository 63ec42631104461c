import { useClient } from './client-context.ts'
import { useStore } from './store.ts'

/** Reads new messages of the open channel to those who do not see them come. */
export function Announcer() {
  const text = useStore(useClient().announcement, value => value)
  return (
    <div className="unseen" role="log" aria-live="polite" aria-atomic="true">
      {text}
    </div>
  )
}
