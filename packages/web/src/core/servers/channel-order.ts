import type { Channel, MoveChannelsBody } from '@gatehouse/protocol/channels'

export function isCategory({ type }: Channel): boolean {
  return type === 'category'
}

/** Without the categories. */
export function textChannels(channels: readonly Channel[]): Channel[] {
  return channels.filter(channel => !isCategory(channel))
}

interface ChannelGroup {
  category?: Channel
  channels: Channel[]
}

/** First the channels without a category that the user can view, then each category with its channels. */
export function groupChannels(channels: readonly Channel[]): [ChannelGroup, ...ChannelGroup[]] {
  const sorted = [...channels].sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))
  const top: ChannelGroup = { channels: [] }
  const groups = new Map<string | null, ChannelGroup>()
  for (const category of sorted.filter(isCategory)) groups.set(category.id, { category, channels: [] })
  for (const channel of textChannels(sorted)) (groups.get(channel.parentId) ?? top).channels.push(channel)
  return [top, ...groups.values()]
}

/** The rows of the list in which the user arranges the channels: each category is above its channels. */
export function toRows(channels: readonly Channel[]): Channel[] {
  return groupChannels(channels).flatMap(group =>
    group.category ? [group.category, ...group.channels] : group.channels,
  )
}

/** A category moves with its channels, to a place between two categories. */
export function moveRow(
  rows: readonly Channel[],
  id: string,
  target: { id: string; position: 'before' | 'after' },
): readonly Channel[] {
  const start = rows.findIndex(row => row.id === id)
  const moved = rows[start]
  if (!moved) return rows
  const findEnd = (list: readonly Channel[], from: number) => {
    const end = list.findIndex((row, index) => index >= from && isCategory(row))
    return end < 0 ? list.length : end
  }
  const end = isCategory(moved) ? findEnd(rows, start + 1) : start + 1
  const others = rows.toSpliced(start, end - start)
  const index = others.findIndex(row => row.id === target.id)
  if (index < 0) return rows
  const place = target.position === 'before' ? index : index + 1
  return others.toSpliced(isCategory(moved) ? findEnd(others, place) : place, 0, ...rows.slice(start, end))
}

/** What must change so that the channels have the order of the rows. */
export function listMoves(rows: readonly Channel[]): MoveChannelsBody {
  const ids = new Set(rows.map(({ id }) => id))
  let categoryId: string | null = null
  const moves: MoveChannelsBody = []
  for (const [position, channel] of rows.entries()) {
    if (isCategory(channel)) categoryId = channel.id
    // The user may be unable to view the category of a channel, which the channel keeps.
    const kept: string | null = ids.has(channel.parentId ?? '') ? null : channel.parentId
    const parentId: string | null = isCategory(channel) ? null : (categoryId ?? kept)
    if (position === channel.position && parentId === channel.parentId) continue
    moves.push({ id: channel.id, position, ...(parentId === channel.parentId ? {} : { parentId }) })
  }
  return moves
}
