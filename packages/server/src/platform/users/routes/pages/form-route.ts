import { Type } from '@gatehouse/protocol/type'
import type { FastifyRequest } from 'fastify'
import type { SessionCaller } from '../../../../http/caller.ts'
import type { FormBody } from '../../../../http/form.ts'
import { pageDialect } from '../../../../http/pages.ts'
import { type Route, route, seeOther } from '../../../../http/route.ts'
import type { ErrorCode } from '../../../../kit/app-error.ts'
import { type Answer, type PageDeps, type Visit, visit } from './visit.ts'

const Html = Type.String({ description: 'HTML' })

const formAnswers = {
  200: Html,
  303: null,
  400: Html,
  401: Html,
  403: Html,
  409: Html,
  429: Html,
} as const

const FormFields = Type.Unsafe<FormBody>({ type: 'object', description: 'The fields of the form.' })

/** Parameters that these pages hand on; what else comes along is left alone. */
const PageQuery = Type.Unsafe<FormBody>({
  type: 'object',
  properties: {
    return_to: { description: 'A path of this service, where the person goes afterwards.' },
    notice: { description: 'What the page says first.' },
  },
})

interface Redirect {
  status: 303
  headers: Readonly<Record<string, string | string[]>>
}

/** Anybody; `session` where the page also looks at who is signed in. */
type PageCaller = { readonly anyone: true } | { readonly session: true; readonly anyone: true }

interface Shared {
  /** Of the template in `users/pages/`. */
  name: string
  path: string
  summary: string
  caller: PageCaller
}

interface Input {
  request: FastifyRequest
  caller: SessionCaller | undefined
  here: Visit
}

interface PageSpec extends Shared {
  handle: (input: Input & { query: FormBody }) => Promise<Answer | Redirect>
}

interface FormSpec extends Shared {
  errors?: readonly ErrorCode[]
  handle: (input: Input & { body: FormBody }) => Promise<Answer | Redirect>
}

/** A page of the sign-in. */
export function pageRoute(deps: PageDeps, { name, handle, ...spec }: PageSpec): Route {
  return route({
    ...spec,
    method: 'GET',
    tag: 'Pages',
    query: PageQuery,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    handle: ({ request, caller, query }) =>
      handle({ request, caller, query, here: visit(deps, name, { request, caller, given: query }) }),
  })
}

/** What the form of such a page is posted to. Only one that was made for this person reaches `handle` (D69). */
export function formRoute(deps: PageDeps, { name, handle, ...spec }: FormSpec): Route {
  return route({
    ...spec,
    method: 'POST',
    tag: 'Pages',
    bodyTypes: ['form'],
    body: FormFields,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    sameSite: true,
    handle: async ({ request, caller, body }) => {
      const here = visit(deps, name, { request, caller, given: body })
      here.checkForm(body)
      return handle({ request, caller, body, here })
    },
  })
}

/** On to the next page, with cookies. */
export function seeOtherWith(cookies: string | string[], location: string): Redirect {
  const { status, headers } = seeOther(location)
  return { status, headers: { ...headers, 'set-cookie': cookies } }
}
