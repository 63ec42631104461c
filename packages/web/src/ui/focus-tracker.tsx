import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useLayoutEffect,
  useRef,
} from 'react'
import { useLocation } from 'react-router'

interface InitialFocus {
  /** The history entry. */
  key: string
  element: Element | null
}

const Context = createContext<RefObject<InitialFocus | undefined>>({ current: undefined })

/** Stores the element that had the focus after the last navigation. */
export function FocusTrackerProvider({ children }: { children: ReactNode }) {
  const { key } = useLocation()
  const initial = useRef<InitialFocus>(undefined)
  useLayoutEffect(() => {
    if (initial.current?.key !== key) initial.current = { key, element: document.activeElement }
  })
  return <Context value={initial}>{children}</Context>
}

/** Returns whether the user has not moved the focus since the last navigation. Otherwise, code must not move it. */
export function useIsFocusUnchanged(): () => boolean {
  const initial = useContext(Context)
  return useCallback(() => {
    const { activeElement, body } = document
    return activeElement === body || activeElement === initial.current?.element
  }, [initial])
}
