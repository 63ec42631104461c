import type { Static, TOptional, TSchema, TUnsafe } from 'typebox'
import { maxBodyBytes, maxSlackAttachments } from './limits.ts'
import { Described, JsonText, Unchecked } from './schema.ts'
import { Type } from './type.ts'

/** The errors of the Slack route, which it returns as plain text (webhooks/slack-response, webhooks/slack-conversion). Success is `ok`. */
export const slackErrorStatus = {
  invalid_payload: 400,
  no_text: 400,
  no_service: 404,
  payload_too_large: 413,
  rate_limited: 429,
} as const

export type SlackErrorCode = keyof typeof slackErrorStatus

/** The named colours of an attachment (webhooks/slack-conversion). */
export const slackColors = { good: 0x2eb67d, warning: 0xecb22e, danger: 0xe01e5a } as const

function member(schema: object): TOptional<TUnsafe<unknown>> {
  return Type.Optional(Unchecked(Type.Unsafe<unknown>(schema)))
}

export const SlackText = Type.Unsafe<unknown>({
  type: ['string', 'number', 'boolean', 'null'],
  maxLength: maxBodyBytes,
  description: 'Text, which some programs send as a number.',
})

function anyText(description: string): TOptional<TUnsafe<unknown>> {
  return Type.Optional(Unchecked(Described(SlackText, description)))
}

function list(items: TSchema, maxItems: number, description: string): TOptional<TUnsafe<unknown>> {
  return member({ type: ['array', 'null'], items, maxItems, description })
}

/** `maxItems` of the API document. The service accepts more and shortens the result (webhooks/slack-conversion). */
const maxDocumentedItems = 1000

export const SlackBlock = Type.Object(
  {
    type: Type.Optional(
      Unchecked(Type.String({ maxLength: 100, description: 'The type of the block: `section`.' })),
    ),
  },
  {
    additionalProperties: true,
    description: 'A block of the Block Kit.',
  },
)

export const SlackField = Type.Object(
  {
    title: anyText('The heading.'),
    value: anyText('The text.'),
    short: anyText('true or "true": the field may be beside others.'),
  },
  { description: 'A field of an attachment.' },
)
export type SlackField = Static<typeof SlackField>

export const SlackAttachment = Type.Object(
  {
    title: anyText('The heading.'),
    title_link: anyText('The link of the title: http or https; other values are ignored.'),
    text: anyText("The text with Slack's markup."),
    color: anyText(
      'The color of the border: good, warning, danger or hex with or without #; other values are ignored.',
    ),
    footer: anyText('The text of the footer.'),
    pretext: anyText('The text before `text`.'),
    author_name: anyText('The name in the author line.'),
    author_link: anyText('The link of the author: http or https.'),
    author_icon: anyText('The icon of the author: http or https.'),
    image_url: anyText('The large image: http or https.'),
    thumb_url: anyText('The small image: http or https.'),
    footer_icon: anyText('The icon of the footer: http or https.'),
    ts: anyText('The time in the footer: Unix seconds, as number or text.'),
    fallback: anyText('The text that is used if the attachment has no other content.'),
    fields: list(SlackField, maxDocumentedItems, 'The fields.'),
    actions: list(Type.Object({}), maxDocumentedItems, 'Buttons: those with `text` and `url` become links.'),
    blocks: list(SlackBlock, maxDocumentedItems, 'Like `blocks` of the message.'),
  },
  { description: 'An attachment, which becomes an embed.' },
)
export type SlackAttachment = Static<typeof SlackAttachment>

/**
 * A Slack-style payload, for the API document. Programs send numbers as strings and null for absent members, so the schema
 * accepts any value, and the route reads each member itself (webhooks/slack-shapes).
 */
export const SlackPayload = Type.Object(
  {
    text: anyText("The text with Slack's markup."),
    mrkdwn: member({ type: ['boolean', 'null'], description: 'false: no conversion of `text`.' }),
    attachments: list(SlackAttachment, maxSlackAttachments, 'The attachments.'),
    blocks: list(
      SlackBlock,
      maxDocumentedItems,
      'Header, section, actions (link buttons), context, divider and image; other blocks are ignored.',
    ),
    username: anyText('The name of the sender of this message.'),
    icon_url: anyText('The avatar of this message: http or https.'),
  },
  { description: 'A Slack-style payload.' },
)
export type SlackPayload = Static<typeof SlackPayload>

export const SlackForm = Type.Object(
  { payload: JsonText(SlackPayload, 'The payload as JSON.') },
  { description: 'A payload as a form or multipart body.' },
)
