import { createContext, type ReactNode, useContext } from 'react'

export interface Confirmation {
  title: string
  text: string
  /** The text of the button; the title by default. */
  action?: string
  /** The object of the action, shown below the text. */
  preview?: ReactNode
  /** The action does not destroy anything, so its button is not red. */
  isHarmless?: boolean
  run(): Promise<unknown>
}

const Context = createContext<(confirmation: Confirmation) => void>(() => {})

export const ConfirmContext = Context.Provider

/** Opens a dialog that confirms an action. */
export function useConfirm(): (confirmation: Confirmation) => void {
  return useContext(Context)
}
