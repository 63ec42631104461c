import type { AllowedMentions, Embed, ResponseData, Row } from './types.ts'

/** A message of a bot. It needs `content` or at least one embed. */
export interface MessageData {
  /** Up to 2000 characters, markdown. */
  content?: string | null | undefined
  /** Up to 10. */
  embeds?: readonly Embed[] | null | undefined
  /** Up to 5 rows of buttons or of one select menu. */
  components?: readonly Row[] | null | undefined
  /** The mentions that notify. Default: the users whom the text mentions. */
  allowedMentions?: AllowedMentions | undefined
}

/** A response to the user of a command or component. */
export interface Reply extends MessageData {
  /** Only the user of the command or component sees the message, until they reload the page. */
  ephemeral?: boolean | undefined
}

/** The changes to a response, or to the follow-up with the id `messageId`. */
export interface ReplyEdit extends Reply {
  messageId?: string | undefined
}

/** A string is short for `{ content }`. */
export function toResponseData(message: string | Reply): ResponseData {
  const reply: Reply = typeof message === 'string' ? { content: message } : message
  const { content, embeds, components, allowedMentions, ephemeral } = reply
  return {
    ...(content === undefined ? {} : { content }),
    ...(embeds === undefined ? {} : { embeds }),
    ...(components === undefined ? {} : { components }),
    ...(allowedMentions === undefined ? {} : { allowedMentions }),
    ...(ephemeral === undefined ? {} : { ephemeral }),
  }
}

/** The body of an edit. An edit cannot change whether a message is ephemeral. */
export function toEditData(message: string | Reply): ResponseData {
  const { ephemeral: _, ...data } = toResponseData(message)
  return data
}
