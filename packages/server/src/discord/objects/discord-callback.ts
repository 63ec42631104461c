import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { CallbackBody } from '@gatehouse/protocol/interactions'
import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import { parse } from '@gatehouse/protocol/parse'
import type { Schema } from '@gatehouse/protocol/wire'
import type { InferOutput } from 'valibot'
import { invalid, invalidAll } from '../../errors/app-error.ts'
import { fromDiscordModal, toModalPath } from './discord-modal.ts'
import { fromDiscordMessage, isEphemeralRequest } from './message-format.ts'

/**
 * The first response to an interaction, validated as that of our API. Throws 400. 1 (PONG) is only the response to a
 * ping, 10 (PREMIUM_REQUIRED) and 12 (LAUNCH_ACTIVITY) do not exist here.
 */
export function fromDiscordCallback(body: unknown): CallbackBody {
  if (!isJsonObject(body)) throw invalid('', 'invalid_type', 'must be an object')
  const toPath = (path: string) => (body.type === 9 ? toModalPath(path, body.data) : path)
  return parseNative(CallbackBody, { type: body.type, ...toNativeData(body) }, toPath)
}

function toNativeData({ type, data }: JsonObject): { data?: unknown } {
  switch (type) {
    case 4:
    case 7:
      return { data: toNativeMessage(data, type === 4) }
    case 5:
      return isJsonObject(data) && isEphemeralRequest(data) ? { data: { ephemeral: true } } : {}
    case 6:
      return {}
    case 8:
      return { data: isJsonObject(data) ? { choices: fromDiscordChoices(data.choices) } : data }
    case 9:
      return { data: fromDiscordModal(data, 'data') }
    default:
      throw invalid('type', 'invalid_choice', 'must be one of 4, 5, 6, 7, 8, 9')
  }
}

/** Whether only the user sees a message is decided when it is created. */
function toNativeMessage(data: unknown, isNew: boolean): unknown {
  if (!isJsonObject(data)) return data ?? {}
  return {
    ...fromDiscordMessage(data, 'data.'),
    ...(isNew && isEphemeralRequest(data) ? { ephemeral: true } : {}),
  }
}

export function fromDiscordChoices(given: unknown): unknown {
  if (!Array.isArray(given)) return given
  return given.map((choice: unknown) => {
    if (!isJsonObject(choice)) return choice
    const { name, name_localizations: nameLocalizations, value } = choice
    return { name, nameLocalizations, value }
  })
}

/** Validates as the route of our API does. Throws 400. `toPath` returns the path of an error in the request. */
export function parseNative<S extends Schema>(
  schema: S,
  given: unknown,
  toPath: (path: string) => string = path => path,
): InferOutput<S> {
  const { value, violations } = parse(schema, given)
  if (violations.length > 0) {
    throw invalidAll(toFieldErrors(violations).map(error => ({ ...error, path: toPath(error.path) })))
  }
  return value as InferOutput<S>
}
