import { botEventRules } from '@gatehouse/protocol/gateway'
import type { GatewayEvents, Intent } from './types.ts'

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
  auditLogEntryCreate: GatewayEvents['AUDIT_LOG_ENTRY_CREATE']
  inviteCreate: GatewayEvents['INVITE_CREATE']
  inviteDelete: GatewayEvents['INVITE_DELETE']
  webhooksUpdate: GatewayEvents['WEBHOOKS_UPDATE']
  reportCreate: GatewayEvents['REPORT_CREATE']
  reportUpdate: GatewayEvents['REPORT_UPDATE']
  channelCreate: GatewayEvents['CHANNEL_CREATE']
  channelUpdate: GatewayEvents['CHANNEL_UPDATE']
  channelDelete: GatewayEvents['CHANNEL_DELETE']
  roleCreate: GatewayEvents['ROLE_CREATE']
  roleUpdate: GatewayEvents['ROLE_UPDATE']
  roleDelete: GatewayEvents['ROLE_DELETE']
  serverUpdate: GatewayEvents['SERVER_UPDATE']
}

type AlwaysReceived = 'READY' | 'RESUMED' | 'INTERACTION_CREATE' | 'SERVER_ADD' | 'SERVER_REMOVE'
type IntentEvent = Exclude<keyof GatewayEvents, AlwaysReceived>

/** The names of the events for `bot.on`. */
export const serverEvents: Readonly<Record<IntentEvent, keyof ServerEvents>> = {
  MESSAGE_CREATE: 'message',
  MESSAGE_UPDATE: 'messageUpdate',
  MESSAGE_DELETE: 'messageDelete',
  MEMBER_ADD: 'memberAdd',
  MEMBER_UPDATE: 'memberUpdate',
  MEMBER_REMOVE: 'memberRemove',
  BAN_ADD: 'banAdd',
  BAN_REMOVE: 'banRemove',
  AUDIT_LOG_ENTRY_CREATE: 'auditLogEntryCreate',
  INVITE_CREATE: 'inviteCreate',
  INVITE_DELETE: 'inviteDelete',
  WEBHOOKS_UPDATE: 'webhooksUpdate',
  REPORT_CREATE: 'reportCreate',
  REPORT_UPDATE: 'reportUpdate',
  CHANNEL_CREATE: 'channelCreate',
  CHANNEL_UPDATE: 'channelUpdate',
  CHANNEL_DELETE: 'channelDelete',
  ROLE_CREATE: 'roleCreate',
  ROLE_UPDATE: 'roleUpdate',
  ROLE_DELETE: 'roleDelete',
  SERVER_UPDATE: 'serverUpdate',
}

/** The intents of an event, of which one is enough. */
function intentsOf(event: IntentEvent): readonly Intent[] {
  const { intent, inDirectMessages } = botEventRules[event]
  return inDirectMessages ? [intent, 'directMessages'] : [intent]
}

/** Throws if the bot would never receive the event. */
export function checkIntent(name: string, chosen: readonly Intent[]): void {
  const events = Object.keys(serverEvents) as IntentEvent[]
  const event = events.find(each => serverEvents[each] === name)
  const intents = event === undefined ? [] : intentsOf(event)
  if (event === undefined || intents.some(intent => chosen.includes(intent))) return
  const needed = intents.map(intent => `"${intent}"`).join(' or ')
  throw new TypeError(`on: the event "${name}" needs the intent ${needed} in \`intents\` of createBot.`)
}
