import { outOfRange, tooLong, tooShort, type ViolationDetails } from './field-errors.ts'
import { codePoints } from './text.ts'

/** The bounds of a number, and of the length of a string in code points. */
export interface Bounds {
  min?: number
  max?: number
  minLength?: number
  maxLength?: number
}

/** The bound that a value is beyond. A string is measured as it is, so the caller trims it (bots/option-bounds). */
export function violatedBound(
  { min, max, minLength, maxLength }: Bounds,
  value: unknown,
): keyof Bounds | undefined {
  if (typeof value === 'number') {
    if (min !== undefined && value < min) return 'min'
    if (max !== undefined && value > max) return 'max'
  }
  if (typeof value === 'string') {
    if (minLength !== undefined && codePoints(value) < minLength) return 'minLength'
    if (maxLength !== undefined && codePoints(value) > maxLength) return 'maxLength'
  }
  return undefined
}

/** The same, as a violation. */
export function boundViolation(bounds: Bounds, value: unknown): ViolationDetails | undefined {
  const { min, max, minLength = 0, maxLength = 0 } = bounds
  switch (violatedBound(bounds, value)) {
    case undefined:
      return undefined
    case 'minLength':
      return tooShort(minLength)
    case 'maxLength':
      return tooLong(maxLength)
    default:
      return outOfRange(min, max)
  }
}
