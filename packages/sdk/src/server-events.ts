import type { GatewayEvents } from './gateway.ts'
import type { Intent } from './types.ts'

/** The events that need an intent, with their payloads. */
export interface ServerEvents {
  message: GatewayEvents['MESSAGE_CREATE']
  messageUpdate: GatewayEvents['MESSAGE_UPDATE']
  messageDelete: GatewayEvents['MESSAGE_DELETE']
  memberAdd: GatewayEvents['MEMBER_ADD']
  memberUpdate: GatewayEvents['MEMBER_UPDATE']
  memberRemove: GatewayEvents['MEMBER_REMOVE']
  banAdd: GatewayEvents['BAN_ADD']
  banRemove: GatewayEvents['BAN_REMOVE']
  channelCreate: GatewayEvents['CHANNEL_CREATE']
  channelUpdate: GatewayEvents['CHANNEL_UPDATE']
  channelDelete: GatewayEvents['CHANNEL_DELETE']
  roleCreate: GatewayEvents['ROLE_CREATE']
  roleUpdate: GatewayEvents['ROLE_UPDATE']
  roleDelete: GatewayEvents['ROLE_DELETE']
  serverUpdate: GatewayEvents['SERVER_UPDATE']
}

interface ServerEvent {
  name: keyof ServerEvents
  /** One of these is enough. */
  intents: readonly Intent[]
}

type AlwaysReceived = 'READY' | 'RESUMED' | 'INTERACTION_CREATE' | 'SERVER_ADD' | 'SERVER_REMOVE'

export const serverEvents: Readonly<Record<Exclude<keyof GatewayEvents, AlwaysReceived>, ServerEvent>> = {
  MESSAGE_CREATE: { name: 'message', intents: ['messages', 'directMessages'] },
  MESSAGE_UPDATE: { name: 'messageUpdate', intents: ['messages', 'directMessages'] },
  MESSAGE_DELETE: { name: 'messageDelete', intents: ['messages', 'directMessages'] },
  MEMBER_ADD: { name: 'memberAdd', intents: ['members'] },
  MEMBER_UPDATE: { name: 'memberUpdate', intents: ['members'] },
  MEMBER_REMOVE: { name: 'memberRemove', intents: ['members'] },
  BAN_ADD: { name: 'banAdd', intents: ['moderation'] },
  BAN_REMOVE: { name: 'banRemove', intents: ['moderation'] },
  CHANNEL_CREATE: { name: 'channelCreate', intents: ['servers', 'directMessages'] },
  CHANNEL_UPDATE: { name: 'channelUpdate', intents: ['servers', 'directMessages'] },
  CHANNEL_DELETE: { name: 'channelDelete', intents: ['servers', 'directMessages'] },
  ROLE_CREATE: { name: 'roleCreate', intents: ['servers'] },
  ROLE_UPDATE: { name: 'roleUpdate', intents: ['servers'] },
  ROLE_DELETE: { name: 'roleDelete', intents: ['servers'] },
  SERVER_UPDATE: { name: 'serverUpdate', intents: ['servers'] },
}

/** Throws if the bot would never receive the event. */
export function checkIntent(name: string, chosen: readonly Intent[]): void {
  const event = Object.values(serverEvents).find(other => other.name === name)
  if (event === undefined || event.intents.some(intent => chosen.includes(intent))) return
  const needed = event.intents.map(intent => `"${intent}"`).join(' or ')
  throw new TypeError(`on: the event "${name}" needs the intent ${needed} in \`intents\` of createBot.`)
}
