import type { PrivilegedIntent } from '@gatehouse/protocol/intents'

/** GATEWAY_GUILD_MEMBERS and GATEWAY_MESSAGE_CONTENT. */
const flags = { members: 1 << 14, messageContent: 1 << 18 } as const satisfies Record<
  PrivilegedIntent,
  number
>

/** The flags of an application with these privileged intents. */
export function toApplicationFlags(privilegedIntents: readonly PrivilegedIntent[]): number {
  return privilegedIntents.reduce((all, intent) => all | flags[intent], 0)
}
