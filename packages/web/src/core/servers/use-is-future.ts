import { useEffect, useState } from 'react'
import { useClient } from '../client-context.ts'

/** Timers of browsers have 32 bits. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Whether the time is in the future. Renders again when it is reached. Members of an older node of the service have no
 * time.
 */
export function useIsFuture(iso: string | null | undefined): boolean {
  const { now } = useClient()
  const [, setRendered] = useState(0)
  const leftMs = iso ? Date.parse(iso) - now() : 0
  useEffect(() => {
    if (leftMs <= 0) return
    const timer = setTimeout(() => setRendered(count => count + 1), Math.min(leftMs, maxTimerMs))
    return () => clearTimeout(timer)
  })
  return leftMs > 0
}
