import type { Static, TOptional, TSchema, TUnsafe } from 'typebox'
import { maxBodyBytes, maxSlackAttachments } from './limits.ts'
import { JsonText, Unchecked } from './schema.ts'
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

function member(schema: object): TOptional<TUnsafe<unknown>> {
  return Type.Optional(Unchecked(Type.Unsafe<unknown>(schema)))
}

/** Text, which some programs send as a number. */
function anyText(description: string): TOptional<TUnsafe<unknown>> {
  return member({ type: ['string', 'number', 'boolean', 'null'], maxLength: maxBodyBytes, description })
}

function list(items: TSchema, maxItems: number, description: string): TOptional<TUnsafe<unknown>> {
  return member({ type: ['array', 'null'], items, maxItems, description })
}

/** More are ignored. */
const maxBlocks = 1000
const Block = Type.Object(
  { type: Type.Optional(Unchecked(Type.String({ maxLength: 100 }))) },
  {
    additionalProperties: true,
    description: 'A block of the Block Kit.',
  },
)

/**
 * A Slack-style payload, for the reference: the formats in use are loose (numbers as strings, null for absent, two
 * spellings of a member), so the schema accepts any value and the route reads each member itself (webhooks/slack-response).
 */
export const SlackField = Type.Object(
  {
    title: anyText('Text.'),
    value: anyText('A string, number or boolean.'),
    short: anyText('true or "true": displayed inline.'),
  },
  { description: 'A field of an attachment.' },
)
export type SlackField = Static<typeof SlackField>

export const SlackAttachment = Type.Object(
  {
    title: anyText('Text.'),
    title_link: anyText('http or https; other values are ignored.'),
    text: anyText("Text with Slack's markup."),
    color: anyText('good, warning, danger or hex with or without #; other values are ignored.'),
    footer: anyText('Text.'),
    pretext: anyText('Text before `text`.'),
    author_name: anyText('Text.'),
    author_link: anyText('http or https.'),
    author_icon: anyText('http or https.'),
    image_url: anyText('http or https.'),
    thumb_url: anyText('http or https.'),
    footer_icon: anyText('http or https.'),
    ts: anyText('Unix seconds, as number or text.'),
    fallback: anyText('Text that is used if the attachment has no other content.'),
    fields: list(SlackField, maxBlocks, 'The fields.'),
    blocks: list(Block, maxBlocks, 'Like `blocks` of the message.'),
  },
  { description: 'An attachment, which becomes an embed.' },
)
export type SlackAttachment = Static<typeof SlackAttachment>

export const SlackPayload = Type.Object(
  {
    text: anyText("Text with Slack's markup."),
    attachments: list(SlackAttachment, maxSlackAttachments, 'The attachments.'),
    blocks: list(Block, maxBlocks, 'Header, section, context, divider and image; other blocks are ignored.'),
    username: anyText('Sender name for this message.'),
    icon_url: anyText('Avatar for this message.'),
  },
  { description: 'A Slack-style payload.' },
)
export type SlackPayload = Static<typeof SlackPayload>

export const SlackForm = Type.Object(
  { payload: JsonText(SlackPayload) },
  { description: 'A payload as a form or multipart body.' },
)
