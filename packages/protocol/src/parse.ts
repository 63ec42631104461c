import * as v from 'valibot'
import { maxViolations, type Violation } from './field-errors.ts'
import type { Schema } from './wire.ts'
import { toViolation } from './wire-violations.ts'

/** The most values in a body of which all violations are listed (limits/invalid-body). */
export const maxValuesForAllViolations = 5000

/**
 * The value is valid if `violations` is empty. With a definition whose values are never undefined, `value ===
 * undefined` says the opposite and narrows the type.
 */
export type Parsed<Value> =
  | { value: Value; violations: readonly [] }
  | { value: undefined; violations: readonly Violation[] }

/**
 * Validates and normalizes a value. If it is invalid, the violations are all of it, up to `maxViolations`; only the
 * first one if it contains more than 5,000 values, because a list of all would block the event loop
 * (limits/invalid-body).
 */
export function parse<S extends Schema>(schema: S, input: unknown): Parsed<v.InferOutput<S>> {
  const first = v.safeParse(schema, input, { abortEarly: true })
  if (first.success) return { value: first.output, violations: [] }
  if (hasMoreValues(input, maxValuesForAllViolations)) {
    return { value: undefined, violations: first.issues.slice(0, 1).map(toViolation) }
  }
  return { value: undefined, violations: parsePartly(schema, input).violations }
}

/**
 * As `parse`, but of an invalid value, `value` is what could be read: for rules that all of it must follow, such as a
 * sum.
 */
export function parsePartly(schema: Schema, input: unknown): { value: unknown; violations: Violation[] } {
  const { output, issues = [] } = v.safeParse(schema, input)
  return { value: output, violations: issues.slice(0, maxViolations).map(toViolation) }
}

/** Whether the value and those in it are more than `max`. Stops counting there. */
function hasMoreValues(value: unknown, max: number): boolean {
  let left = max
  function exceeds(each: unknown): boolean {
    if (--left < 0) return true
    if (Array.isArray(each)) return each.some(exceeds)
    if (typeof each !== 'object' || each === null) return false
    // Does not make a list of the values, of which there can be a hundred thousand.
    for (const name in each) if (exceeds((each as Record<string, unknown>)[name])) return true
    return false
  }
  return exceeds(value)
}
