import type { PrivilegedIntent } from '@gatehouse/protocol/intents'

/** GATEWAY_GUILD_MEMBERS_LIMITED and GATEWAY_MESSAGE_CONTENT_LIMITED. */
const flags = { members: 1 << 15, messageContent: 1 << 19 } as const satisfies Record<
  PrivilegedIntent,
  number
>

/** The flags of an application with these privileged intents. */
export function toApplicationFlags(privilegedIntents: readonly PrivilegedIntent[]): number {
  return privilegedIntents.reduce((all, intent) => all | flags[intent], 0)
}
