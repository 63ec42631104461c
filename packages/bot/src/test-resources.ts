import { createResources } from './operations.ts'
import type { Resources } from './resources.ts'

/** Functions that replace those of `api`, by group and name. */
export type TestApi = { readonly [Group in keyof Resources]?: Partial<Resources[Group]> }

/** A call of a function of `api`: `bans.create` with its arguments. */
export interface TestRequest {
  readonly name: string
  readonly args: readonly unknown[]
  /** Of `api.withReason`. */
  readonly reason?: string
}

/**
 * The functions of all operations without a service: those given, or else those in memory. Of the others, one without a
 * result does nothing, and one with a result throws, because the test decides what it is.
 */
export function createTestResources(
  given: TestApi,
  inMemory: TestApi,
  onRequest: (request: TestRequest) => void,
): Resources {
  return createResources(async (name, operation, args) => {
    onRequest({ name, args: structuredClone(args) })
    const found = find(given, name) ?? find(inMemory, name)
    if (found) return found(...args)
    if (operation.endsWith(' 204')) return undefined
    const [group, member] = name.split('.')
    throw new TypeError(
      `The test has no result for api.${name}: createTestBot(bot, { api: { ${group}: { ${member}: async () => … } } })`,
    )
  })
}

function find(api: TestApi, name: string): ((...args: readonly unknown[]) => Promise<unknown>) | undefined {
  const [group = '', member = ''] = name.split('.')
  // `createResources` passes the arguments of the function with this name.
  const groups = api as Record<string, Record<string, (...args: readonly unknown[]) => Promise<unknown>>>
  return groups[group]?.[member]
}
