import { type Select, selectBounds } from './components.ts'
import { oneOf, tooFew, tooMany, type Violation } from './field-errors.ts'
import { isId } from './ids.ts'

/**
 * Validates what a user selected in a menu (bots/select-values). Paths begin with `values`. Whether an id is that of a
 * user, role or channel, only the service knows. `acceptsId`: tests of bots have shorter ids.
 */
export function checkSelectValues(
  select: Select,
  given: readonly string[] | undefined,
  acceptsId: (id: string) => boolean = isId,
): { values: string[]; violations: Violation[] } {
  const violations: Violation[] = []
  const values = [...(given ?? [])]
  if (given === undefined) {
    violations.push({ path: ['values'], code: 'required', message: 'is required for a select menu' })
    return { values, violations }
  }
  const { min, max } = selectBounds(select)
  if (values.length < min) violations.push({ path: ['values'], ...tooFew(min) })
  if (values.length > max) violations.push({ path: ['values'], ...tooMany(max) })
  const accepted = select.type === 'string_select' ? select.options.map(option => option.value) : undefined
  for (const [index, value] of values.entries()) {
    const path = ['values', index]
    if (values.indexOf(value) !== index) {
      violations.push({ path, code: 'duplicate', message: 'must differ from every other value' })
    } else if (accepted) {
      if (!accepted.includes(value)) violations.push({ path, ...oneOf(accepted) })
    } else if (!acceptsId(value)) {
      violations.push({ path, code: 'invalid_format', message: 'must be an id' })
    }
  }
  return { values, violations }
}
