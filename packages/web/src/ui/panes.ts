import { createContext, useContext } from 'react'

/** Which pane covers the messages on a narrow screen, and whether the member list is shown on a wide one. */
export interface Panes {
  navOpen: boolean
  membersOpen: boolean
  /** Whether a pane covers the messages. A navigation then replaces the history entry of the pane. */
  isCovering: boolean
  setNav(open: boolean): void
  setMembers(open: boolean): void
}

export type Pane = 'nav' | 'members'

/** The pane of a history entry. The back button of the browser closes the pane. */
export function getPane(state: unknown): Pane | undefined {
  const pane = typeof state === 'object' && state !== null && 'pane' in state ? state.pane : undefined
  return pane === 'nav' || pane === 'members' ? pane : undefined
}

const Context = createContext<Panes>({
  navOpen: false,
  membersOpen: false,
  isCovering: false,
  setNav: () => {},
  setMembers: () => {},
})

export const PanesProvider = Context.Provider

export function usePanes(): Panes {
  return useContext(Context)
}
