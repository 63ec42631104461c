import { createContext } from 'react'

/** Whether a bot or webhook wrote the message. */
export const OfBot = createContext(false)
