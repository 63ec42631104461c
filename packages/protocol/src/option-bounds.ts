import { outOfRange, tooLong, tooShort, type ViolationDetails } from './field-errors.ts'
import { codePoints } from './text.ts'

/** The bounds of a number, and of the length of a string in code points. */
export interface Bounds {
  min?: number
  max?: number
  minLength?: number
  maxLength?: number
}

/**
 * What is wrong with a value beyond the bounds. A string is measured as it is, so the caller trims it
 * (bots/option-bounds).
 */
export function checkBounds(bounds: Bounds, value: unknown): ViolationDetails | undefined {
  const { min, max, minLength, maxLength } = bounds
  if (typeof value === 'number') {
    const isBeyond = (min !== undefined && value < min) || (max !== undefined && value > max)
    return isBeyond ? outOfRange(min, max) : undefined
  }
  if (typeof value !== 'string') return undefined
  if (minLength !== undefined && codePoints(value) < minLength) return tooShort(minLength)
  return maxLength !== undefined && codePoints(value) > maxLength ? tooLong(maxLength) : undefined
}
