import { createContext, useContext } from 'react'

/** Which of the panes slides over the messages on a narrow screen, and whether members show on a wide one. */
export interface Panes {
  navOpen: boolean
  membersOpen: boolean
  setNav(open: boolean): void
  setMembers(open: boolean): void
}

const Context = createContext<Panes>({
  navOpen: false,
  membersOpen: false,
  setNav: () => {},
  setMembers: () => {},
})

export const PanesProvider = Context.Provider

export function usePanes(): Panes {
  return useContext(Context)
}
