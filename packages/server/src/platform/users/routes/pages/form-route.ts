import { Type } from 'typebox'
import type { FormBody } from '../../../../http/form.ts'

/** What the pages of the sign-in share as routes. */
const Html = Type.String({ description: 'HTML' })

export const formAnswers = {
  200: Html,
  303: null,
  400: Html,
  401: Html,
  403: Html,
  409: Html,
  429: Html,
} as const

export const FormFields = Type.Unsafe<FormBody>({ type: 'object', description: 'The fields of the form.' })

/** Parameters that these pages hand on; what else comes along is left alone. */
export const PageQuery = Type.Unsafe<FormBody>({
  type: 'object',
  properties: {
    return_to: { description: 'A path of this service, where the person goes afterwards.' },
    notice: { description: 'What the page says first.' },
  },
})
