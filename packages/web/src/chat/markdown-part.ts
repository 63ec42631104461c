import type { ComponentType } from 'react'
import { createStore, type Store } from '../app/store.ts'

interface MarkdownProps {
  text: string
  everyone: boolean
}

export type MarkdownComponent = ComponentType<MarkdownProps>

/** What draws Markdown: a chunk of its own, which is on its way from the start of the client on. */
export interface MarkdownPart {
  /** `waiting` until it is there or was not to be had: then texts are shown as they were typed. */
  store: Store<'waiting' | 'missing' | MarkdownComponent>
  /** Asks for it where it is not there; never rejects. */
  load(): Promise<void>
}

export function createMarkdownPart(load: () => Promise<MarkdownComponent>): MarkdownPart {
  const store = createStore<'waiting' | 'missing' | MarkdownComponent>('waiting')
  let loading: Promise<void> | undefined
  return {
    store,
    load() {
      loading ??= load().then(
        Markdown => store.set(() => Markdown),
        () => {
          store.set(() => 'missing')
          loading = undefined
        },
      )
      return loading
    },
  }
}
