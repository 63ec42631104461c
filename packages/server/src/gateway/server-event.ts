import type { Event } from '../platform/events.ts'

/** What an event of a server says about who may see what. */
export interface ServerEvent {
  /** The channel it is about. */
  channelId: string | undefined
  /** Whose view of the server it may change. */
  changes: 'all' | { userId: string } | undefined
  /** Who is a member no longer. */
  removed: string | undefined
}

export function readServerEvent({ t, d }: Event): ServerEvent {
  const read: ServerEvent = { channelId: undefined, changes: undefined, removed: undefined }
  if (t.startsWith('CHANNEL_')) return { ...read, channelId: textAt(d, 'id'), changes: 'all' }
  // A new role has no members yet.
  if (t === 'ROLE_UPDATE' || t === 'ROLE_DELETE') return { ...read, changes: 'all' }
  const userId = textAt(valueAt(d, 'user'), 'id')
  if (t === 'MEMBER_UPDATE' && userId !== undefined) return { ...read, changes: { userId } }
  if (t === 'MEMBER_REMOVE') return { ...read, removed: userId }
  return { ...read, channelId: textAt(d, 'channelId') }
}

export function textAt(value: unknown, key: string): string | undefined {
  const found = valueAt(value, key)
  return typeof found === 'string' ? found : undefined
}

function valueAt(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** What comes from the bus, which says nothing about it. */
export function readEvent(message: unknown): Event | undefined {
  const t = textAt(message, 't')
  if (t === undefined) return undefined
  const d = valueAt(message, 'd')
  const aside = valueAt(message, 'aside')
  const userId = textAt(aside, 'userId')
  const more = valueAt(aside, 'more')
  return userId === undefined || !isRecord(more) ? { t, d } : { t, d, aside: { userId, more } }
}
