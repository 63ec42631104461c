import {
  addViolation,
  invalidText,
  mustBe,
  notAccepted,
  required,
  tooLong,
  type ViolationList,
} from './field-errors.ts'
import { cleanName, isLonger, isSound } from './text.ts'
import { findUrlViolation } from './urls.ts'

/** A JSON object. Read its fields by name and never copy its keys. */
export type Members = Readonly<Record<string, unknown>>

export type MemberRule = 'invalid_type' | 'invalid_text' | 'too_long' | 'invalid_url' | 'required'

type TextViolations = ViolationList<MemberRule>

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a member is absent: undefined, and null as programs write it. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

/**
 * Text without the space around it; undefined where it is absent, empty or not text. What is too long is reported and
 * returned all the same, for a sum over several texts.
 */
export function readText(
  from: Members,
  key: string,
  max: number,
  violations: TextViolations,
): string | undefined {
  return readCleaned(from, key, max, violations, text => text.trim())
}

/** As `readText`, for a name that other people see: cleaned with `cleanName`. */
export function readName(
  from: Members,
  key: string,
  max: number,
  violations: TextViolations,
): string | undefined {
  return readCleaned(from, key, max, violations, cleanName)
}

function readCleaned(
  from: Members,
  key: string,
  max: number,
  violations: TextViolations,
  clean: (text: string) => string,
): string | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') {
    addViolation(violations, { path: [key], ...mustBe('string') })
    return undefined
  }
  if (!isSound(value)) {
    addViolation(violations, { path: [key], ...invalidText })
    return undefined
  }
  const text = clean(value)
  if (text === '') return undefined
  if (isLonger(text, max)) {
    addViolation(violations, { path: [key], ...tooLong(max) })
  }
  return text
}

/** As `readText`; absent and empty are violations. */
export function needText(
  from: Members,
  key: string,
  max: number,
  violations: TextViolations,
): string | undefined {
  return need(readText, from, key, max, violations)
}

/** As `readName`; absent and empty are violations. */
export function needName(
  from: Members,
  key: string,
  max: number,
  violations: TextViolations,
): string | undefined {
  return need(readName, from, key, max, violations)
}

function need(
  read: typeof readText,
  from: Members,
  key: string,
  max: number,
  violations: TextViolations,
): string | undefined {
  const before = violations.length
  const text = read(from, key, max, violations)
  if (text === undefined && violations.length === before) {
    addViolation(violations, { path: [key], ...required })
  }
  return text
}

/** A URL; undefined where it is absent, `''` or wrong. */
export function readUrl(
  from: Members,
  key: string,
  max: number,
  violations: TextViolations,
): string | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') {
    addViolation(violations, { path: [key], ...mustBe('string') })
    return undefined
  }
  const url = value.trim()
  if (url === '') return undefined
  const violation = findUrlViolation(url, max)
  if (violation) {
    addViolation(violations, { path: [key], ...violation })
    return undefined
  }
  return url
}

/** True or false; undefined where it is absent or neither. */
export function readBoolean(from: Members, key: string, violations: TextViolations): boolean | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (typeof value === 'boolean') return value
  addViolation(violations, { path: [key], ...mustBe('boolean') })
  return undefined
}

/** Refuses every member that is not in `known`, as requests of the native API are to be (the contract). */
export function refuseOthers(
  from: Members,
  known: readonly string[],
  violations: ViolationList<'unknown_member'>,
): void {
  for (const key of Object.keys(from)) {
    if (known.includes(key)) continue
    addViolation(violations, { path: [key], rule: 'unknown_member', ...notAccepted(known) })
  }
}
