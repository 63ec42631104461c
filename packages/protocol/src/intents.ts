// Apart from gateway.ts, so that a client loads no definitions with them.

/**
 * The events that a bot may choose at identify (gateway/intents). `botEventRules` says which events need which intent.
 */
export const intents = [
  'servers',
  'members',
  'messages',
  'messageContent',
  'directMessages',
  'moderation',
  'invites',
  'webhooks',
] as const
export type Intent = (typeof intents)[number]

/**
 * They are switched on in the application, and people see them before they add the bot (gateway/privileged-intents).
 */
export const privilegedIntents = ['members', 'messageContent'] as const satisfies readonly Intent[]
export type PrivilegedIntent = (typeof privilegedIntents)[number]
