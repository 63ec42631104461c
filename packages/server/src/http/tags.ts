/** The headings of the API reference, with a sentence for each. */
export const tags = {
  Users: 'Accounts, sessions and the data of the current user.',
  'Second factor': 'Passkeys, authenticator apps and recovery codes.',
  Pages: 'Pages for browsers.',
  Servers: 'Servers with their channels, roles, members and invites.',
  Messages: 'Messages of channels and direct messages, and what the user has read.',
  'Developer console': 'Applications with their secrets, bots and logs.',
  Bots: 'Commands of a bot, and its responses to interactions.',
  'Sign-in': 'OAuth 2.0 and OpenID Connect.',
  'Using commands and components': 'Commands that the user can run, and their interactions.',
  'Webhook management': 'The webhooks of a channel.',
  Webhooks:
    'Messages to the URL of a webhook, in the formats of Discord, Slack and GitHub. The same ' +
    'paths exist below `/api/v6` to `/api/v10`, as in the API of Discord.',
  Gateway: 'The WebSocket for events.',
  Administration: 'The users of the instance, for its administrators.',
  Operation: 'Health, metrics and this reference.',
} as const

export type Tag = keyof typeof tags
