import { checkChoices } from '@gatehouse/protocol/commands'
import { mustBe, oneOf, required, toFieldErrors, unknownMember } from '@gatehouse/protocol/field-errors'
import { checkMessageBody, checkNotEmpty } from '@gatehouse/protocol/message-body'
import { checkModal } from '@gatehouse/protocol/modals'
import { createApiError } from './errors.ts'
import type { CallbackBody, Embed, OptionType, ResponseData, Row } from './types.ts'
import { asJson, type Violation } from './validity.ts'

// What a test service accepts: the same as the service, with the same codes and paths.

export function createError(status: number, code: string, message: string, errors?: unknown): Error {
  return createApiError(status, { code, message, ...(errors ? { errors } : {}) }, 'test')
}

/** Throws 400 if there are violations. `prefix`: the path of the value in the body, such as `data`. */
export function rejectViolations(violations: readonly Violation[], prefix = ''): void {
  if (violations.length === 0) return
  throw createError(400, 'validation_failed', 'The body is invalid.', toFieldErrors(violations, prefix))
}

/** Throws 400 with one error of a member. */
export function reject(path: readonly string[], code: string, message: string): never {
  throw createError(
    400,
    'validation_failed',
    'The body is invalid.',
    toFieldErrors([{ path, code, message }]),
  )
}

/** The body of a message, a response or an edit, as it was sent. Members that it does not contain are undefined. */
export interface TestBody {
  content: string | undefined
  embeds: Embed[] | undefined
  components: Row[] | undefined
  isEphemeral: boolean
  prefix: string
}

type BodyKind = 'edit' | 'message' | 'response'

const editMembers = ['content', 'embeds', 'components', 'allowedMentions']
const membersOf: Readonly<Record<BodyKind, readonly string[]>> = {
  edit: editMembers,
  message: [...editMembers, 'nonce'],
  response: [...editMembers, 'ephemeral', 'flags'],
}

/** Throws 400 for what the service checks before it finds the interaction or the message. */
export function readBody(kind: BodyKind, given: object, prefix = ''): TestBody {
  const body: ResponseData & { flags?: unknown } = asJson(given)
  const { content, embeds, components, ephemeral, flags = 0 } = body
  const members = membersOf[kind]
  const { violations } = checkMessageBody(body)
  const schemaViolations: Violation[] = Object.keys(body)
    .filter(key => !members.includes(key))
    .map(key => ({ path: [key], ...unknownMember(members) }))
  if (kind === 'response') {
    if (ephemeral !== undefined && typeof ephemeral !== 'boolean') {
      schemaViolations.push({ path: ['ephemeral'], ...mustBe('boolean') })
    }
    if (flags !== 0 && flags !== 64) schemaViolations.push({ path: ['flags'], ...oneOf([0, 64]) })
  }
  rejectViolations([...schemaViolations, ...violations], prefix)
  return {
    content: content === null ? '' : content,
    embeds: embeds === undefined ? undefined : [...(embeds ?? [])],
    components: components === undefined ? undefined : [...(components ?? [])],
    isEphemeral: ephemeral === true || flags === 64,
    prefix,
  }
}

/** Throws 400 for a message without text and embeds. */
export function requireContentOrEmbed(given: Pick<TestBody, 'content' | 'embeds'>, prefix: string): void {
  const { content = '', embeds = [] } = checkMessageBody(given).value ?? {}
  rejectViolations(checkNotEmpty({ content, embeds }), prefix)
}

/** Throws 400 for members of `data` that this type of response does not have. */
export function rejectMembers({ type, data = {} }: CallbackBody, accepted: readonly string[]): void {
  const rejected = Object.keys(data).filter(key => !accepted.includes(key))
  const message = `is not allowed with ${type}`
  rejectViolations(rejected.map(key => ({ path: ['data', key], code: 'not_allowed', message })))
}

/** Throws 400 for an invalid modal. */
export function validateModal(data: unknown): void {
  if (data === undefined) rejectViolations([{ path: ['data'], ...required }])
  rejectViolations(checkModal(data).violations, 'data')
}

/** Throws 400 for invalid choices. */
export function validateChoices(choices: unknown, type: OptionType): void {
  rejectViolations(checkChoices(choices, type).violations, 'data')
}
