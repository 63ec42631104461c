/** A form field that came more than once is a list: a protocol that forbids it sees it (RFC 6749 §3.1). */
export type FormBody = Record<string, string | string[]>

/** `application/x-www-form-urlencoded` (WHATWG URL §5.1). */
export function parseForm(text: string): FormBody {
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
