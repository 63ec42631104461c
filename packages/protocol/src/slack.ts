import { unknown } from 'valibot'
import { maxBodyBytes, maxSlackAttachments } from './limits.ts'
import {
  boolean,
  described,
  jsonText,
  keywords,
  list,
  looseObject,
  nullable,
  openObject,
  optional,
  type Schema,
  string,
} from './wire.ts'

/**
 * The errors of the Slack route, which it returns as plain text (webhooks/slack-response, webhooks/slack-conversion).
 * Success is `ok`.
 */
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

export const SlackText = keywords(unknown(), {
  type: ['string', 'number', 'boolean', 'null'],
  maxLength: maxBodyBytes,
  description: 'Text, which some programs send as a number.',
})

/* @__NO_SIDE_EFFECTS__ */
function anyText(description: string) {
  return optional(described(SlackText, description))
}

/**
 * `max` is for the API document. The service accepts more than 1000 and shortens the result
 * (webhooks/slack-conversion).
 */
/* @__NO_SIDE_EFFECTS__ */
function anyList(item: Schema, description: string, max = 1000) {
  return optional(nullable(list(item, undefined, { max }), description))
}

export const SlackBlock = looseObject(
  { type: optional(string('The type of the block: `section`.', { maxLength: 100 })) },
  'A block of the Block Kit.',
)

export const SlackField = openObject(
  {
    title: anyText('The heading.'),
    value: anyText('The text.'),
    short: anyText('true or "true": the field may be beside others.'),
  },
  'A field of an attachment.',
)

export const SlackAttachment = openObject(
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
    fields: anyList(SlackField, 'The fields.'),
    actions: anyList(openObject({}), 'Buttons: those with `text` and `url` become links.'),
    blocks: anyList(SlackBlock, 'Like `blocks` of the message.'),
  },
  'An attachment, which becomes an embed.',
)

/**
 * A Slack-style payload, for the API document. Programs send numbers as strings and null for absent members, so the
 * schema accepts any value, and the route reads each member itself (webhooks/slack-shapes).
 */
export const SlackPayload = openObject(
  {
    text: anyText("The text with Slack's markup."),
    mrkdwn: optional(nullable(boolean(), 'false: no conversion of `text`.')),
    attachments: anyList(SlackAttachment, 'The attachments.', maxSlackAttachments),
    blocks: anyList(
      SlackBlock,
      'Header, section, actions and context_actions (link buttons), context, divider, image, ' +
        'rich_text, markdown and table; of other blocks the text is shown.',
    ),
    username: anyText('The name of the sender of this message.'),
    icon_url: anyText('The avatar of this message: http or https.'),
  },
  'A Slack-style payload.',
)

export const SlackForm = openObject(
  { payload: jsonText(SlackPayload, 'The payload as JSON.') },
  'A payload as a form or multipart body.',
)
