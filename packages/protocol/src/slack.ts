import type { Static, TOptional, TUnsafe } from 'typebox'
import { JsonText } from './schema.ts'
import { Type } from './type.ts'

/** The errors of the Slack route, which it returns as plain text (webhooks/slack-response, webhooks/slack-conversion). Success is `ok`. */
export const slackErrorStatus = {
  invalid_payload: 400,
  no_text: 400,
  no_service: 404,
  payload_too_large: 413,
  rate_limited: 429,
} as const

export type SlackError = keyof typeof slackErrorStatus

/** The named colours of an attachment (webhooks/slack-conversion). */
export const slackColors = { good: 0x2eb67d, warning: 0xecb22e, danger: 0xe01e5a } as const

function anyValue(description: string): TOptional<TUnsafe<unknown>> {
  return Type.Optional(Type.Unsafe<unknown>({ description }))
}

/**
 * A Slack-style payload, for the reference: the formats in use are loose (numbers as strings, null for absent, two
 * spellings of a member), so the schema accepts any value and the route reads each member itself (webhooks/slack-response).
 */
export const SlackField = Type.Object(
  {
    title: anyValue('Text.'),
    value: anyValue('A string, number or boolean.'),
    short: anyValue('true or "true": displayed inline.'),
  },
  { description: 'A field of an attachment.' },
)
export type SlackField = Static<typeof SlackField>

export const SlackAttachment = Type.Object(
  {
    title: anyValue('Text.'),
    title_link: anyValue('http or https; other values are ignored.'),
    text: anyValue("Text with Slack's markup."),
    color: anyValue('good, warning, danger or hex with or without #; other values are ignored.'),
    footer: anyValue('Text.'),
    pretext: anyValue('Text before `text`.'),
    author_name: anyValue('Text.'),
    author_link: anyValue('http or https.'),
    author_icon: anyValue('http or https.'),
    image_url: anyValue('http or https.'),
    thumb_url: anyValue('http or https.'),
    footer_icon: anyValue('http or https.'),
    ts: anyValue('Unix seconds, as number or text.'),
    fallback: anyValue('Text that is used if the attachment has no other content.'),
    fields: anyValue('A list of fields, or null.'),
    blocks: anyValue('Like `blocks` of the message.'),
  },
  { description: 'An attachment, which becomes an embed.' },
)
export type SlackAttachment = Static<typeof SlackAttachment>

export const SlackPayload = Type.Object(
  {
    text: anyValue("Text with Slack's markup."),
    attachments: anyValue('Up to 10 attachments, or null.'),
    blocks: anyValue('Header, section, context, divider and image; other blocks are ignored.'),
    username: anyValue('Sender name for this message.'),
    icon_url: anyValue('Avatar for this message.'),
  },
  { description: 'A Slack-style payload.' },
)
export type SlackPayload = Static<typeof SlackPayload>

export const SlackForm = Type.Object(
  { payload: JsonText(SlackPayload) },
  { description: 'A payload as a form or multipart body.' },
)
