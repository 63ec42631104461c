import type { ComponentType } from 'react'
import { createStore } from './store.ts'

export interface MarkdownProps {
  text: string
  everyone: boolean
}

/** `PlainText` is the text as it is shown, for screen readers. */
export type MarkdownRenderer = Readonly<Record<'Markdown' | 'PlainText', ComponentType<MarkdownProps>>>

/** Loads the Markdown renderer, which has its own chunk. */
export function createMarkdownLoader(load: () => Promise<MarkdownRenderer>) {
  /** With `failed`, texts are shown as they were typed. */
  const store = createStore<'loading' | 'failed' | MarkdownRenderer>('loading')
  let loading: Promise<void> | undefined
  return {
    store,
    /** Does nothing if the renderer is loaded or loading. Never rejects. */
    load() {
      loading ??= load().then(
        renderer => store.set(() => renderer),
        () => {
          store.set(() => 'failed')
          loading = undefined
        },
      )
      return loading
    },
  }
}
