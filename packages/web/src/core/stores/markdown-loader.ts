import type { ComponentType } from 'react'
import { createStore } from './store.ts'

interface MarkdownProps {
  text: string
  everyone: boolean
}

export type MarkdownComponent = ComponentType<MarkdownProps>

/** Loads the Markdown renderer, which has its own chunk. */
export function createMarkdownLoader(load: () => Promise<MarkdownComponent>) {
  /** With `failed`, texts are shown as they were typed. */
  const store = createStore<'loading' | 'failed' | MarkdownComponent>('loading')
  let loading: Promise<void> | undefined
  return {
    store,
    /** Does nothing if the renderer is loaded or loading. Never rejects. */
    load() {
      loading ??= load().then(
        Markdown => store.set(() => Markdown),
        () => {
          store.set(() => 'failed')
          loading = undefined
        },
      )
      return loading
    },
  }
}
