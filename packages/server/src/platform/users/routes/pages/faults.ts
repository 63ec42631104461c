import { compileValidator } from '../../../../http/validation.ts'
import type { AppError } from '../../../../kit/app-error.ts'
import { Taken } from '../../taken.ts'

/** What is wrong, in words: by the name of the field, and under `form` what concerns no field. */
export type Faults = Readonly<Record<string, string>>

const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  username: {
    '': 'Use 2 to 32 of the small letters a to z, digits, “_” and “.”.',
  },
  displayName: { '': 'Use 1 to 32 characters that can be seen.' },
  email: { '': 'This does not look like a mail address.' },
  password: {
    too_short: 'Use at least 8 characters.',
    too_long: 'Use at most 256 characters.',
    '': 'This password cannot be used.',
  },
  invite: {
    required: 'You need an invite to register here.',
    unknown_invite: 'This invite does not hold, or has been used up.',
    '': 'This is no invite.',
  },
  code: { '': 'Enter the code.' },
  login: { '': 'Enter your username or mail address.' },
}

export function faultsOf(error: AppError): Faults {
  if (error instanceof Taken) return { [error.field]: error.message }
  const faults: Record<string, string> = {}
  for (const { path, code, message } of error.errors ?? []) {
    faults[path] ??= words[path]?.[code] ?? words[path]?.[''] ?? message
  }
  return error.errors ? faults : { form: error.message }
}

/** What a form holds, judged by the schema of the JSON route: throws what that route would. */
export function createFormCheck<T>(schema: unknown): (fields: T) => T {
  const judge = compileValidator({ schema, httpPart: 'body' })
  return fields => {
    const given = structuredClone(fields)
    const verdict = judge(given)
    if (typeof verdict === 'object') throw verdict.error
    return given
  }
}
