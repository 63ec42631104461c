import { maxFormFields } from '@gatehouse/protocol/limits'
import { looseObject } from '@gatehouse/protocol/wire'
import type { GenericSchema } from 'valibot'
import { AppError } from '../errors/app-error.ts'

/** The value of a repeated field is an array, so that OAuth endpoints can reject it (RFC 6749 §3.1). */
export type FormBody = Record<string, string | string[]>

/** The query or form of a page, which ignores fields that it does not know and repeated ones. */
export const Form = looseObject({}) as unknown as GenericSchema<unknown, FormBody>

/**
 * Parses `application/x-www-form-urlencoded` (WHATWG URL §5.1). Throws 400 `validation_failed` for more than 1,000
 * fields.
 */
export function parseForm(text: string): FormBody {
  limitFields(text)
  const form: FormBody = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const previous = form[name]
    if (previous === undefined) form[name] = value
    else if (typeof previous === 'string') form[name] = [previous, value]
    // Appended in place: copying the array for each field is quadratic, and takes minutes for a body of one name.
    else previous.push(value)
  }
  return form
}

/** Counts the fields before parsing: a body of 1 MiB can have half a million. */
function limitFields(text: string): void {
  let fields = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    if (++fields > maxFormFields) {
      throw new AppError('validation_failed', `The form has more than ${maxFormFields} fields.`)
    }
  }
}
