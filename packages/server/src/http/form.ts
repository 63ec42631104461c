import { maxFormFields } from '@gatehouse/protocol/limits'
import { AppError } from '../kit/app-error.ts'

/** A form field that came more than once is a list: a protocol that forbids it sees it (RFC 6749 §3.1). */
export type FormBody = Record<string, string | string[]>

/** `application/x-www-form-urlencoded` (WHATWG URL §5.1). Throws 400 `validation_failed` for more than 1,000 fields. */
export function parseForm(text: string): FormBody {
  refuseFields(text)
  const form: FormBody = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const before = form[name]
    if (before === undefined) form[name] = value
    else if (typeof before === 'string') form[name] = [before, value]
    // Added in place: copied for each, a body of one name over and over would take minutes.
    else before.push(value)
  }
  return form
}

/** Before it is parsed: a body of a megabyte holds half a million fields, and each of them costs. */
function refuseFields(text: string): void {
  let fields = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    if (++fields > maxFormFields) {
      throw new AppError('validation_failed', `The form has more than ${maxFormFields} fields.`)
    }
  }
}
