import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { newerBuild } from '../app/build.ts'
import { Outdated } from '../app/outdated.tsx'

const retryMs = 2000

type LazyPart<Props> = LazyExoticComponent<ComponentType<Props>>

/** A component that comes as a chunk of its own, by the name it is exported under. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  return lazy(async () => ({ default: await orOutdated(load, 'part') }))
}

/** The same for a page: what was on the screen before it is left anyway. */
export function lazyPage<Props>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  return lazy(async () => ({ default: await orOutdated(load, 'page') }))
}

/** An upgrade of the service takes the chunks of the build before it away. */
async function orOutdated<Props>(
  load: () => Promise<ComponentType<Props>>,
  kind: 'page' | 'part',
): Promise<ComponentType<Props>> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      const build = await newerBuild()
      if (build !== undefined) return () => <Outdated build={build} kind={kind} />
      if (kind === 'page') throw error
      // The network is at fault: the part comes when it is back, and all else stays on the screen.
      await new Promise(resolve => setTimeout(resolve, retryMs))
    }
  }
}
