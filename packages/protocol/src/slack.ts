import type { Static, TOptional, TUnsafe } from 'typebox'
import { Type } from './type.ts'

/** The words with which the Slack route refuses, as plain text (webhooks/slack-response, webhooks/slack-conversion). Success is `ok`. */
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

function words(description: string): TOptional<TUnsafe<unknown>> {
  return Type.Optional(Type.Unsafe<unknown>({ description }))
}

/**
 * A Slack-style payload, for the reference: the formats in use are loose (numbers as strings, null for absent, two
 * spellings of a member), so the route reads every member by itself and nothing here refuses anything (webhooks/slack-response).
 */
export const SlackField = Type.Object(
  {
    title: words('Text.'),
    value: words('Text, number or truth.'),
    short: words('true, or "true": beside its neighbour.'),
  },
  { description: 'A field of an attachment.' },
)
export type SlackField = Static<typeof SlackField>

export const SlackAttachment = Type.Object(
  {
    title: words('Text.'),
    title_link: words('http or https; else it is dropped.'),
    text: words("Text with Slack's markup."),
    color: words('good, warning, danger or hex with or without #; else it is dropped.'),
    footer: words('Text.'),
    pretext: words('Text before `text`.'),
    author_name: words('Text.'),
    author_link: words('http or https.'),
    author_icon: words('http or https.'),
    image_url: words('http or https.'),
    thumb_url: words('http or https.'),
    footer_icon: words('http or https.'),
    ts: words('Unix seconds, as number or text.'),
    fallback: words('Text, for an attachment that has nothing else.'),
    fields: words('A list of fields, or null.'),
    blocks: words('As those of the message.'),
  },
  { description: 'An attachment: one card.' },
)
export type SlackAttachment = Static<typeof SlackAttachment>

export const SlackPayload = Type.Object(
  {
    text: words("Text with Slack's markup."),
    attachments: words('Up to 10 attachments, or null.'),
    blocks: words('Header, section, context, divider and image are shown; others are not.'),
    username: words('Sender name for this message.'),
    icon_url: words('Avatar for this message.'),
  },
  { description: 'A Slack-style payload.' },
)
export type SlackPayload = Static<typeof SlackPayload>
