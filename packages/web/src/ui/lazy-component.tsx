import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { findNewerBuild } from './build.ts'
import { NewVersionNotice } from './new-version-notice.tsx'

const retryMs = 2000

type LazyComponent<Props> = LazyExoticComponent<ComponentType<Props>>

/** A component with its own chunk, which is shown in addition to the page. */
export function lazyComponent<Props>(load: () => Promise<ComponentType<Props>>): LazyComponent<Props> {
  return lazy(async () => ({ default: await loadOrNotice(load, 'part') }))
}

/** A page with its own chunk. It replaces the previous page, so it may reload the document without losing input. */
export function lazyPage<Props>(load: () => Promise<ComponentType<Props>>): LazyComponent<Props> {
  return lazy(async () => ({ default: await loadOrNotice(load, 'page') }))
}

/** After an upgrade, the service no longer has the chunks of the previous build. */
async function loadOrNotice<Props>(
  load: () => Promise<ComponentType<Props>>,
  kind: 'page' | 'part',
): Promise<ComponentType<Props>> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      const build = await findNewerBuild()
      if (build !== undefined) return () => <NewVersionNotice build={build} kind={kind} />
      if (kind === 'page') throw error
      // The network failed. The rest of the page stays visible while this retries.
      await new Promise(resolve => setTimeout(resolve, retryMs))
    }
  }
}
