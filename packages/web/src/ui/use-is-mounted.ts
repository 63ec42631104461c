import { useCallback, useEffect, useRef } from 'react'

/** Returns whether the component is still mounted, for code that runs after a request. */
export function useIsMounted(): () => boolean {
  const mounted = useRef(false)
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
    }
  }, [])
  return useCallback(() => mounted.current, [])
}
