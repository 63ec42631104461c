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

interface Arrival {
  /** The entry of the session's history. */
  key: string
  focus: Element | null
}

const Context = createContext<RefObject<Arrival | undefined>>({ current: undefined })

/** Keeps what had the focus when the present page was come to. */
export function ArrivalProvider({ children }: { children: ReactNode }) {
  const { key } = useLocation()
  const arrival = useRef<Arrival>(undefined)
  useLayoutEffect(() => {
    if (arrival.current?.key !== key) arrival.current = { key, focus: document.activeElement }
  })
  return <Context value={arrival}>{children}</Context>
}

/** Tells whether nobody has moved the focus since the page was come to: it is not taken away from where one has put it. */
export function useFocusUnmoved(): () => boolean {
  const arrival = useContext(Context)
  return useCallback(() => {
    const { activeElement, body } = document
    return activeElement === body || activeElement === arrival.current?.focus
  }, [arrival])
}
