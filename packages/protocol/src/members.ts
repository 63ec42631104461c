import { type FaultList, report } from './faults.ts'
import { isLonger, isSound } from './text.ts'
import { urlFault } from './urls.ts'

/** An object whose members are to be read, each by name: nothing is ever copied from it by a key of its own. */
export type Members = Readonly<Record<string, unknown>>

export type MemberRule = 'invalid_type' | 'invalid_text' | 'too_long' | 'invalid_url' | 'required'

type Faults = FaultList<MemberRule>

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
export function readText(from: Members, key: string, max: number, faults: Faults): string | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') {
    report(faults, { path: [key], rule: 'invalid_type', message: 'must be a string' })
    return undefined
  }
  if (!isSound(value)) {
    const message = 'must not contain U+0000 or half of a surrogate pair'
    report(faults, { path: [key], rule: 'invalid_text', message })
    return undefined
  }
  const text = value.trim()
  if (text === '') return undefined
  if (isLonger(text, max)) {
    report(faults, {
      path: [key],
      rule: 'too_long',
      message: `must have at most ${max} characters`,
      limit: max,
    })
  }
  return text
}

/** As `readText`; absent and empty are faults. */
export function needText(from: Members, key: string, max: number, faults: Faults): string | undefined {
  const before = faults.length
  const text = readText(from, key, max, faults)
  if (text === undefined && faults.length === before) {
    report(faults, { path: [key], rule: 'required', message: 'is required' })
  }
  return text
}

/** A URL; undefined where it is absent, `''` or wrong. */
export function readUrl(from: Members, key: string, max: number, faults: Faults): string | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') {
    report(faults, { path: [key], rule: 'invalid_type', message: 'must be a string' })
    return undefined
  }
  const url = value.trim()
  if (url === '') return undefined
  const fault = urlFault(url, max)
  if (fault) {
    report(faults, { path: [key], ...fault })
    return undefined
  }
  return url
}

/** True or false; undefined where it is absent or neither. */
export function readBoolean(from: Members, key: string, faults: Faults): boolean | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (typeof value === 'boolean') return value
  report(faults, { path: [key], rule: 'invalid_type', message: 'must be true or false' })
  return undefined
}

/** Refuses every member that is not in `known`, as requests of the native API are to be (the contract). */
export function refuseOthers(
  from: Members,
  known: readonly string[],
  faults: FaultList<'unknown_member'>,
): void {
  for (const key of Object.keys(from)) {
    if (!known.includes(key))
      report(faults, { path: [key], rule: 'unknown_member', message: 'is not known here' })
  }
}
