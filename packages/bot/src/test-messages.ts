import type { PageQuery } from './resources.ts'
import { createError, reject, requireContentOrEmbed, type TestBody } from './test-answers.ts'
import type { TestClock } from './test-clock.ts'
import type { Message, User } from './types.ts'

/** The user of the bot in a test. */
export const testBotUser: User = {
  id: '900000000000000001',
  username: 'bot',
  displayName: 'Bot',
  avatar: '/avatars/bot',
}

/** The messages of all channels. */
export interface TestMessages {
  /** In order. */
  readonly all: readonly Message[]
  /** Adds a message, of the bot unless `properties` says otherwise. */
  create(
    place: Pick<Message, 'channelId' | 'serverId'>,
    body: Partial<TestBody>,
    properties?: Partial<Message>,
  ): Message
  /** Changes the members that the body contains. Throws 400 as the service does. */
  edit(message: Message, body: TestBody): Message
  remove(message: Message): void
  /** Throws 404 if there is none. */
  find(id: string): Message
  /** A page of a channel, newest first. */
  list(channelId: string, page?: PageQuery): Message[]
}

export function createTestMessages(clock: TestClock, newId: () => string): TestMessages {
  const all: Message[] = []
  const iso = () => new Date(clock.now()).toISOString()

  return {
    all,
    create({ channelId, serverId }, { content = '', embeds = [], components = [] }, properties = {}) {
      const message: Message = {
        id: newId(),
        channelId,
        serverId,
        author: { ...testBotUser, bot: true },
        ...{ content, embeds, components },
        mentions: { users: [], roles: [], everyone: false },
        createdAt: iso(),
        editedAt: null,
        state: 'sent',
        ...properties,
      }
      all.push(message)
      return message
    },
    edit(message, body) {
      const { content = message.content, embeds = message.embeds, components = message.components } = body
      requireContentOrEmbed({ content, embeds }, body.prefix)
      const editedAt = message.state === 'sent' ? iso() : null
      return Object.assign(message, { content, embeds, components, editedAt, state: 'sent' })
    },
    remove(message) {
      all.splice(all.indexOf(message), 1)
    },
    find(id) {
      const found = all.find(message => message.id === id)
      if (!found) throw createError(404, 'not_found', 'Unknown message.')
      return found
    },
    list: (channelId, page) =>
      selectPage(
        all.filter(message => message.channelId === channelId),
        page,
      ),
  }
}

/** A page of messages in order, newest first. With only `after`, it has the messages next to `after`. */
function selectPage(messages: readonly Message[], { before, after, limit = 50 }: PageQuery = {}): Message[] {
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    reject(['limit'], 'out_of_range', 'must be between 1 and 100')
  }
  const found = messages.filter(
    ({ id }) =>
      (before === undefined || BigInt(id) < BigInt(before)) &&
      (after === undefined || BigInt(id) > BigInt(after)),
  )
  const isOldest = after !== undefined && before === undefined
  return (isOldest ? found.slice(0, limit) : found.slice(-limit)).reverse()
}
