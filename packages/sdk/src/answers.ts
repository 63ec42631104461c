import type { AllowedMentions, Embed, ResponseData, Row } from './types.ts'

/** What a bot says: content or one embed at least. */
export interface Answer {
  /** Up to 2000 characters, markdown. */
  content?: string | null | undefined
  /** Up to 10. */
  embeds?: readonly Embed[] | null | undefined
  /** Up to 5 rows of buttons. */
  components?: readonly Row[] | null | undefined
  /** Whom the message may notify; left out, the users whom its text mentions. */
  allowedMentions?: AllowedMentions | undefined
}

/** An answer to a person who used a command or a button. */
export interface Reply extends Answer {
  /** Only the person who asked sees it, and it is gone when they reload. */
  ephemeral?: boolean | undefined
}

/** Text alone is short for `{ content }`. */
export function toData(answer: string | Reply): ResponseData {
  const reply: Reply = typeof answer === 'string' ? { content: answer } : answer
  const { content, embeds, components, allowedMentions, ephemeral } = reply
  return {
    ...(content === undefined ? {} : { content }),
    ...(embeds === undefined ? {} : { embeds }),
    ...(components === undefined ? {} : { components }),
    ...(allowedMentions === undefined ? {} : { allowedMentions }),
    ...(ephemeral === undefined ? {} : { ephemeral }),
  }
}

/** An edit changes what it names; who sees a message is decided once. */
export function toEdit(answer: string | Reply): ResponseData {
  const { ephemeral: _, ...edit } = toData(answer)
  return edit
}
