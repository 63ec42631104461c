import { formatFieldErrors, toFieldErrors } from '@gatehouse/protocol/field-errors'

/** What a rule of the service finds. The published types have no types of its package. */
export interface Violation {
  path: readonly (string | number)[]
  code: string
  message: string
}

/** The value as the service receives it: JSON has no undefined and no dates. */
export function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value))
}

/**
 * Throws a TypeError with the paths and the reasons: `button("vote"): "label" must have at most 80 characters.` Leaves
 * out the first `depth` steps of the paths.
 */
export function assertValid(call: string, violations: readonly Violation[], depth = 0): void {
  if (violations.length === 0) return
  const errors = toFieldErrors(
    violations.map(({ path, ...details }) => ({ path: path.slice(depth), ...details })),
  )
  throw new TypeError(`${call}: ${formatFieldErrors(errors)}`)
}
