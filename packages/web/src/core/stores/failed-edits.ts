import { createStore } from './store.ts'

export interface FailedEdit {
  text: string
  error: unknown
}

/**
 * Edits that the service rejected after their edit box was closed, by message id. Each is kept so that the user can
 * edit it again.
 */
export function createFailedEdits() {
  const store = createStore<ReadonlyMap<string, FailedEdit>>(new Map())
  return {
    store,
    add: (messageId: string, edit: FailedEdit) => store.set(edits => new Map(edits).set(messageId, edit)),
    remove: (edit: FailedEdit) =>
      store.set(edits => new Map([...edits].filter(([, other]) => other !== edit))),
  }
}
