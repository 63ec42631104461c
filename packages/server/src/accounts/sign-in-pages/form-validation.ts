import { maxPassword, minPassword } from '@gatehouse/protocol/limits'
import type { Params } from '@gatehouse/protocol/locales'
import type { AppError } from '../../errors/app-error.ts'
import { compileValidator } from '../../http/validation.ts'
import type { Key } from '../../i18n/en.ts'
import { errorText } from '../../i18n/localized-error.ts'
import type { Translate } from '../../i18n/translate.ts'
import { FieldTakenError } from '../users/unique-fields.ts'

/** Error messages by field name. The key `form` has the message that belongs to no field. */
export type FormErrors = Readonly<Record<string, string>>

/** By field name and error code. The key `''` is for every other code. */
const keys: Readonly<Record<string, Readonly<Record<string, Key>>>> = {
  username: { '': 'fieldError.username' },
  displayName: { '': 'fieldError.displayName' },
  email: { '': 'fieldError.email' },
  password: {
    too_short: 'fieldError.passwordTooShort',
    too_long: 'fieldError.passwordTooLong',
    too_common: 'fieldError.passwordTooCommon',
    '': 'fieldError.password',
  },
  invite: {
    required: 'fieldError.inviteRequired',
    unknown_invite: 'fieldError.inviteUnknown',
    '': 'fieldError.invite',
  },
  administratorCode: { '': 'fieldError.administratorCode' },
  code: { '': 'fieldError.code' },
  login: { '': 'fieldError.login' },
}

const params: Readonly<Partial<Record<Key, Params>>> = {
  'fieldError.passwordTooShort': { count: minPassword },
  'fieldError.passwordTooLong': { count: maxPassword },
}

/** One message per field. */
export function formErrorsOf(error: AppError, t: Translate): FormErrors {
  if (error instanceof FieldTakenError) return { [error.field]: errorText(t, error) }
  if (!error.errors) return { form: errorText(t, error) }
  const messages: Record<string, string> = {}
  for (const { path, code } of error.errors) {
    const key = keys[path]?.[code] ?? keys[path]?.[''] ?? 'fieldError.invalid'
    messages[path] ??= t(key, params[key])
  }
  return messages
}

/** Validates form fields with the schema of the JSON route. Returns a cleaned copy, or throws like the JSON route. */
export function createFormValidator<T>(schema: unknown): (fields: T) => T {
  const validate = compileValidator({ schema, httpPart: 'body' })
  return fields => {
    const result = validate(structuredClone(fields))
    if (result.error) throw result.error
    return result.value as T
  }
}
