import type { TestResponse } from '@gatehouse/testkit/service'
import { outcomeOf } from './sequences/steps.ts'

interface Reason {
  operations: RegExp
  outcome: string
  /** What the response contains. */
  text: RegExp
  /** What a schema cannot express. */
  why: string
}

const invalid = '400 validation_failed'

const reasons: readonly Reason[] = [
  {
    operations: /^(completeLogin|createLoginPasskeyOptions)$/,
    outcome: '401 unauthenticated',
    text: /expired or was started/,
    why: 'a ticket is valid for one sign-in with a second factor',
  },
  {
    operations: /^(verifyEmail|resetPassword)$/,
    outcome: invalid,
    text: /"invalid_token"/,
    why: 'a token is from a mail',
  },
  {
    operations: /^addPasskey$/,
    outcome: invalid,
    text: /"invalid_passkey"/,
    why: 'the response is from an authenticator',
  },
  {
    operations: /^(removeTotp|removePasskey)$/,
    outcome: '404 not_found',
    text: /./,
    why: 'the user has no second factor',
  },
  {
    operations: /^(confirmTotp|renewRecoveryCodes)$/,
    outcome: '409 conflict',
    text: /no new authenticator app|Recovery codes require/,
    why: 'the user has no second factor',
  },
  {
    operations: /^(putOverwrite|createRole|updateRole|replace(Server)?Commands)$/,
    outcome: invalid,
    text: /"unknown_permission"/,
    why: 'a set has only bits of permissions that exist',
  },
  {
    operations: /^replaceServerCommandPermissions$/,
    outcome: invalid,
    text: /"(unknown_(user|role|channel)|duplicate)"/,
    why: 'the type says what the id is the id of, and overrides differ in it',
  },
  {
    operations: /^updateMember$/,
    outcome: invalid,
    text: /in the next 28 days/,
    why: 'a time-out is neither in the past nor too long',
  },
  {
    operations: /^(create|update)(Message|Callback|Followup|OriginalResponse)$|^tryCommand$/,
    outcome: invalid,
    text: /is required (with|if)|must not be given if/,
    why: 'one member requires or excludes another',
  },
  {
    operations: /^createCallback$/,
    outcome: invalid,
    text: /is only for components|is not allowed with|a stored message cannot|must not be \\"autocomplete/,
    why: 'the type depends on the interaction, and some types have no data',
  },
  {
    operations: /^(create|update)(Message|Callback|Followup|OriginalResponse)$|^tryCommand$/,
    outcome: invalid,
    text: /less than min(Values|Length)|fewer than minValues|more options with|line breaks|options\\" is required/,
    why: 'the bounds of a select menu and of a field depend on each other, and these requests have no "options"',
  },
  {
    operations: /^(create|update)(Message|Callback|Followup|OriginalResponse)$/,
    outcome: invalid,
    text: /embeds\[\d+\]\\" is empty|must differ from every other/,
    why: 'an embed has at least one text or image, and the ids of components differ',
  },
  {
    operations: /^replace(Server)?Commands$/,
    outcome: invalid,
    text: /is (not )?accepted (only|with)|must be (a|an) |must not be (greater|less)|already|unique|before/,
    why: 'choices and bounds depend on the type of the option, and names are unique',
  },
  {
    operations: /^(execute|update)Webhook(Message)?$/,
    outcome: '400 50035',
    text: /PARSE_EXCLUSIVE|BASE_TYPE_REQUIRED|NUMBER_TYPE_RANGE/,
    why: 'one member requires or excludes another, and a color may be a string with a number in the range',
  },
  {
    operations: /^(execute|update)Webhook(Message)?$/,
    outcome: '400 50006',
    text: /empty message/,
    why: 'a message has content or an embed that is not empty',
  },
  {
    operations: /^executeSlackWebhook$/,
    outcome: '400 no_text',
    text: /./,
    why: 'a message has text, an attachment or a known block that is not empty',
  },
  {
    operations: /Application$/,
    outcome: invalid,
    text: /only for public applications/,
    why: 'a member depends on the type of the application',
  },
]

/** Why the service refuses a request that the schemas of the API document accept. */
export function reasonOf(operationId: string, reply: TestResponse): Reason | undefined {
  return reasons.find(
    ({ operations, outcome, text }) =>
      operations.test(operationId) && outcome === outcomeOf(reply) && text.test(reply.text),
  )
}

/** Members whose invalid values the service ignores or accepts. `body`: only if the JSON of the body matches. */
const ignored: readonly { operations: RegExp; at: RegExp; body?: RegExp; why: string }[] = [
  {
    operations: /^executeSlackWebhook$/,
    at: /^\.(attachments|blocks|username|icon_url|mrkdwn)/,
    why: 'a part of a Slack message with another type is left out (webhooks/slack-conversion)',
  },
  {
    operations: /^(execute|update)Webhook(Message|ByToken)?$/,
    at: /^\.(content|username|name|embeds\[\d+\]\.(title|description|color|(footer|author|fields)\b.*))$/,
    why: 'numbers, booleans and texts may have each other’s form (webhooks/lenient-values)',
  },
  {
    operations: /^executeWebhook$/,
    at: /^\?wait$/,
    why: 'the parameter accepts more values (webhooks/wait)',
  },
  {
    operations: /^replace(Server)?Commands$/,
    at: /^\[\d+\]\.(description|descriptionLocalizations|nameLocalizations|options)$/,
    body: /"type":"(user|message)"/,
    why: 'programs send empty texts and lists for absent ones, also with a command in a menu',
  },
]

export function ignoresInvalid(operationId: string, at: string, body: unknown): boolean {
  const text = JSON.stringify(body) ?? ''
  return ignored.some(
    entry => entry.operations.test(operationId) && entry.at.test(at) && (entry.body?.test(text) ?? true),
  )
}
