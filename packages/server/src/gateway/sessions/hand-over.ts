import type { Channel } from '@gatehouse/protocol/channels'
import { describeHiddenChannels, listServerChannels } from '../../community/channels/index.ts'
import type { ChannelEvent, PublishedEvent } from '../../events/gateway-events.ts'
import { delay, type Timer } from '../../kit/clock.ts'
import type { BotOptions, Identity } from '../connection/gateway-authentication.ts'
import { Timeouts } from '../connection/timeouts.ts'
import type { Deps } from '../gateway-deps.ts'
import { EncodedEvent } from './encoded-event.ts'
import type { GatewaySession, SessionState } from './gateway-session.ts'
import type { SessionRegistry } from './session-registry.ts'

interface HandOverDeps extends Pick<Deps, 'db' | 'nodes' | 'clock' | 'timers' | 'onError'> {
  registry: SessionRegistry
}

/** The requests from the node of the new connection to the node of the session. */
export type HandOverRequest =
  | { t: 'find-session'; session: SessionKey }
  | { t: 'take-session'; session: SessionKey; seq: number }
  | { t: 'next-part'; session: SessionKey }

/** A session is found only with its own credential. */
type SessionKey = { id: string } & Pick<Identity, 'kind' | 'credentialId'>

/** The options with which the bot of the session identified, if it has any. */
type FindReply = 'found' | 'unknown' | BotOptions

type TakeReply = 'unknown' | 'bad-seq' | Part

/** A part of the state of a session, which is a text of lines. */
interface Part {
  text: string
  isLast: boolean
}

/** The first line. The others are events. */
interface StateHeader {
  seq: number
  recentIds: readonly string[]
  /** The channels of each server that the client can view after the events. */
  channelIds: [serverId: string, channelIds: string[]][]
}

export interface TakenSession extends SessionState {
  channelIds: ReadonlyMap<string, ReadonlySet<string>>
}

interface FoundSession {
  node: string
  options?: BotOptions
}

export type HandOvers = ReturnType<typeof createHandOvers>

const requestMs = 2000
/**
 * The new node subscribes first and then takes the session. A message that was published before the subscription may
 * still be on its way to the old node, and in a cluster of NATS servers the subscription may still be on its way to the
 * publisher.
 */
const settleMs = 100
const pollMs = 20
/** How long the old node waits until the session is idle, while it reads permissions from the database. */
const idleTimeoutMs = 1000
/** An event that one node has received arrives at the other within this time. */
const overlapMs = 5000
/** In characters. Encoded again as JSON, in UTF-8, a part is smaller than the 1 MiB of a NATS message. */
const partLength = 100_000
const maxStateLength = 4 * 1024 * 1024

/**
 * Moves gateway sessions between nodes: a client that resumes on another node than before continues there. The new node
 * asks all others for the session. Then it subscribes to the events, and keeps them while it takes the session from the
 * old node, so that no event is lost. Events that both nodes received have the same id, so none is sent twice.
 */
export function createHandOvers({ db, nodes, clock, timers, registry, onError }: HandOverDeps) {
  /** The parts that other nodes have not read yet, by session id. */
  const unread = new Map<string, Iterator<Part>>()
  const readTimeouts = new Timeouts<string>({
    clock,
    timers,
    durationMs: requestMs,
    onTimeout: id => unread.delete(id),
  })
  /** Sessions that this node has taken, and the ids of whose events may still arrive. */
  const overlaps = new Timeouts<GatewaySession>({
    clock,
    timers,
    durationMs: overlapMs,
    onTimeout: session => session.completeHandOver(),
  })
  /** The events of these sessions by id. After the stop of a node, many sessions bring the same events. */
  const recent = new Map<string, EncodedEvent>()
  let clearRecent: Timer | undefined

  async function releaseSession(key: SessionKey, seq: number): Promise<TakeReply> {
    const session = registry.find(key.id, key)
    if (session === undefined) return 'unknown'
    if (seq > session.seq) return 'bad-seq'
    if (!session.canResume(seq)) {
      registry.end(session)
      return 'unknown'
    }
    registry.release(session)
    const isComplete = await waitUntilIdle(session)
    if (session.ended) return 'unknown'
    const isResumable = isComplete && session.canResume(seq)
    const state = encodeState(session, seq, clock() - overlapMs)
    registry.endReleased(session, isResumable)
    if (!isResumable) return 'unknown'
    unread.set(key.id, splitIntoParts(state))
    return nextPart(key)
  }

  async function waitUntilIdle({ subscriptions, translation }: GatewaySession): Promise<boolean> {
    const isIdle = () => subscriptions?.isIdle === true && translation?.isIdle !== false
    await delay(timers, settleMs)
    for (let ms = 0; ms < idleTimeoutMs && !isIdle(); ms += pollMs) await delay(timers, pollMs)
    return isIdle()
  }

  function nextPart({ id }: SessionKey): TakeReply {
    const part: Part | undefined = unread.get(id)?.next().value
    readTimeouts.delete(id)
    if (part === undefined || part.isLast) unread.delete(id)
    else readTimeouts.set(id)
    return part ?? 'unknown'
  }

  async function respond(request: HandOverRequest): Promise<FindReply | TakeReply> {
    switch (request.t) {
      case 'find-session':
        return toFindReply(registry.find(request.session.id, request.session))
      case 'take-session':
        return releaseSession(request.session, request.seq)
      case 'next-part':
        return nextPart(request.session)
    }
  }

  async function send<Reply = TakeReply>(node: string, request: HandOverRequest): Promise<Reply> {
    return (await nodes.request(node, request, requestMs)) as Reply
  }

  /** Undefined if it is too long. */
  async function readParts(node: string, session: SessionKey, first: Part): Promise<string | undefined> {
    let text = first.text
    for (let part: TakeReply = first; !part.isLast; text += part.text) {
      part = await send(node, { t: 'next-part', session })
      if (typeof part === 'string' || text.length + part.text.length > maxStateLength) return undefined
    }
    return text
  }

  function parseState(text: string): TakenSession {
    const [first = '', ...lines] = text.trimEnd().split('\n')
    const { seq, recentIds, channelIds }: StateHeader = JSON.parse(first)
    const events = lines.map(line =>
      reuseEncoded(new EncodedEvent(JSON.parse(line) as PublishedEvent, clock())),
    )
    const sets = channelIds.map(([serverId, ids]) => [serverId, new Set(ids)] as const)
    return { seq, recentIds, events, channelIds: new Map(sets) }
  }

  /** Another session may have brought the same event. */
  function reuseEncoded(event: EncodedEvent): EncodedEvent {
    if (event.id === undefined) return event
    const known = recent.get(event.id)
    if (known?.equals(event)) return known
    recent.set(event.id, event)
    clearRecent ??= timers.after(overlapMs, () => {
      recent.clear()
      clearRecent = undefined
    })
    return event
  }

  /**
   * Lets a session continue where it stopped on another node, and sends what its user can view now and could not then.
   */
  async function continueSession(session: GatewaySession, state: TakenSession): Promise<void> {
    const channels = new Map<string, Channel>()
    const hiddenChannels = new Map<string, Channel>()
    const readServers = new Set<string>()
    const { translation } = session
    for (;;) {
      // The changes of visibility that arrived are in what is compared now.
      for (let idle = translation?.idle(); idle !== undefined; idle = translation?.idle()) await idle
      const { hidden, revealed } = compareChannels(
        state.channelIds,
        session.subscriptions?.visibleServerChannels(session) ?? new Map(),
      )
      const unreadServers = revealed.filter(({ serverId }) => !readServers.has(serverId))
      const unread = hidden.filter(({ id }) => translation && !hiddenChannels.has(id))
      if ((unreadServers.length === 0 && unread.length === 0) || session.ended) {
        const encode = (event: ChannelEvent) =>
          translation?.translateVisibility(event) ?? [new EncodedEvent(event, clock())]
        session.continueFrom(state, {
          revealed: revealed.flatMap(({ id }) => {
            const channel = channels.get(id)
            return channel === undefined ? [] : encode({ t: 'CHANNEL_CREATE', d: channel })
          }),
          hidden: hidden.flatMap(d => {
            const deleted = hiddenChannels.get(d.id)
            return encode({ t: 'CHANNEL_DELETE', d, ...(deleted && { deleted }) })
          }),
        })
        return
      }
      for (const [id, channel] of await describeHiddenChannels(db, unread)) hiddenChannels.set(id, channel)
      for (const { serverId } of unreadServers) {
        if (readServers.has(serverId)) continue
        readServers.add(serverId)
        for (const channel of await listServerChannels(db, serverId)) channels.set(channel.id, channel)
      }
    }
  }

  return {
    respond,

    /** The node that has the session of this credential, and its options. Undefined if there is none. */
    async find(id: unknown, { kind, credentialId }: Identity): Promise<FoundSession | undefined> {
      if (typeof id !== 'string') return undefined
      const request: HandOverRequest = { t: 'find-session', session: { id, kind, credentialId } }
      const asked = nodes.others().map(async node => {
        const reply = await send<FindReply>(node, request)
        if (reply === 'unknown') throw new Error('the node does not have the session')
        return reply === 'found' ? { node } : { node, options: reply }
      })
      // Rejects if no node has the session. A node that does not respond cannot hand it over.
      return Promise.any(asked).catch(() => undefined)
    },

    /**
     * Takes the session from its node, where it ends. The session of this node must already receive its events.
     * Resolves to true if it continues here. Of several nodes that take a session, one succeeds.
     */
    async take(node: string, session: GatewaySession, seq: number): Promise<boolean | 'bad-seq'> {
      const { kind, credentialId } = session.identity
      const key: SessionKey = { id: session.id, kind, credentialId }
      try {
        const reply = await send(node, { t: 'take-session', session: key, seq })
        if (reply === 'bad-seq') return reply
        const text = typeof reply === 'string' ? undefined : await readParts(node, key, reply)
        if (text === undefined) return false
        await continueSession(session, parseState(text))
      } catch (error) {
        onError(error)
        return false
      }
      overlaps.set(session)
      return true
    },

    /** True while another node has not read all of a session. */
    get isBusy(): boolean {
      return unread.size > 0
    },

    close(): void {
      readTimeouts.clear()
      overlaps.clear()
      clearRecent?.cancel()
    },
  }
}

function toFindReply(session: GatewaySession | undefined): FindReply {
  return session === undefined ? 'unknown' : (session.identity.options ?? 'found')
}

function encodeState(
  session: GatewaySession,
  seq: number,
  recentSince: number,
): [StateHeader, ...EncodedEvent[]] {
  const { events, ...header } = session.readState(seq, recentSince)
  const channelIds = [...(session.subscriptions?.visibleServerChannels(session) ?? [])]
  return [{ ...header, channelIds: channelIds.map(([serverId, ids]) => [serverId, [...ids]]) }, ...events]
}

function* splitIntoParts(lines: readonly (StateHeader | EncodedEvent)[]): Generator<Part, undefined> {
  let text = ''
  for (const line of lines) {
    text += `${JSON.stringify(line)}\n`
    while (text.length > partLength) {
      yield { text: text.slice(0, partLength), isLast: false }
      text = text.slice(partLength)
    }
  }
  yield { text, isLast: true }
}

/** Compares only the servers that are in both. SERVER_ADD and SERVER_REMOVE report the others. */
function compareChannels(
  before: ReadonlyMap<string, ReadonlySet<string>>,
  now: ReadonlyMap<string, ReadonlySet<string>>,
) {
  const hidden: { id: string; serverId: string }[] = []
  const revealed: { id: string; serverId: string }[] = []
  for (const [serverId, idsBefore] of before) {
    const idsNow = now.get(serverId)
    if (idsNow === undefined) continue
    for (const id of idsBefore) if (!idsNow.has(id)) hidden.push({ id, serverId })
    for (const id of idsNow) if (!idsBefore.has(id)) revealed.push({ id, serverId })
  }
  return { hidden, revealed }
}
