import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

/** A component that comes as a chunk of its own, by the name it is exported under. */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await load() }))
}
