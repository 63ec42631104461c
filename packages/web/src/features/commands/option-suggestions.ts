import type { Choice } from '@gatehouse/protocol/commands'
import type { AutocompleteBody } from '@gatehouse/protocol/interactions'
import type { Api } from '../../core/api/client.ts'
import type { ConnectionTimers } from '../../core/gateway/connection.ts'
import { createStore } from '../../core/stores/store.ts'

export interface OptionSuggestions {
  /** Newer choices are on their way, and `choices` are those for an earlier text. */
  isAsking: boolean
  /** Undefined before the first response. */
  choices: readonly Choice[] | undefined
}

export const suggestionDelayMs = 200

const none: OptionSuggestions = { isAsking: false, choices: undefined }

/** The choices that a bot suggests for the text in a field, at most one request at a time (bots/autocomplete). */
export function createOptionSuggestions(api: Api, timers: ConnectionTimers) {
  const store = createStore(none)
  let cancel = () => {}

  async function request(body: AutocompleteBody, signal: AbortSignal) {
    // The user can enter any value, so an error is the same as no suggestions.
    const { choices } = await api.call('autocompleteOption', { body, signal }).catch(() => ({ choices: [] }))
    if (!signal.aborted) store.set(() => ({ isAsking: false, choices }))
  }

  return {
    store,

    /** Asks the bot unless the body changes again within the delay. Only the choices for the last body are shown. */
    ask(body: AutocompleteBody) {
      cancel()
      const controller = new AbortController()
      const cancelDelay = timers.after(suggestionDelayMs, () => void request(body, controller.signal))
      cancel = () => {
        cancelDelay()
        controller.abort()
      }
      store.set(({ choices }) => ({ isAsking: true, choices }))
    },

    /** Keeps the choices that are shown, because the user selects one of them. */
    keep() {
      const { isAsking, choices = [] } = store.get()
      if (!isAsking || choices.length === 0) return
      cancel()
      store.set(() => ({ isAsking: false, choices }))
    },

    clear() {
      cancel()
      store.set(() => none)
    },
  }
}
