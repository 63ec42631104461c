import type { Ready } from '@gatehouse/protocol/gateway'
import { responseBytesPerRequest } from '@gatehouse/protocol/limits'
import type { DispatchRequest, PublishedEvent } from '../../events/gateway-events.ts'
import {
  compressFrames,
  type FrameCompression,
  zlibStream,
  zstdStream,
} from '../../gateway/connection/frame-compression.ts'
import { EncodedEvent } from '../../gateway/sessions/encoded-event.ts'
import type { TranslatedSession, Translation, WireFormat } from '../../gateway/wire-format.ts'
import type { Timers } from '../../kit/clock.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import { apiPath } from '../api-route.ts'
import type { DescribeDeps } from '../describe-interaction.ts'
import { waitForRequest } from '../member-search.ts'
import { type EventDeps, readReadyEvent, translateChannelEvent, translateEvent } from './discord-events.ts'
import {
  DiscordOp,
  discordFrames,
  formatName,
  keepLargeIntegers,
  noEncoding,
  noVersion,
  parseDiscordIdentify,
  parseDiscordResume,
  toDiscordCloseCode,
  type Version,
  versions,
} from './discord-frames.ts'
import { guildCreateVariant, readGuildCreate } from './guild-create.ts'
import { readMemberChunks } from './member-chunks.ts'

const discordGatewayPath = `${apiPath}/gateway/ws`

interface WireFormatDeps extends DescribeDeps {
  timers: Timers
  rateLimiter: Pick<RateLimiter, 'checkOwed' | 'addRequests'>
}

/** By the value of `compress` in the query. Another is ignored: clients that ask for one also accept text frames. */
const compressions: ReadonlyMap<string, FrameCompression | undefined> = new Map([
  ['', undefined],
  ['zlib-stream', zlibStream],
  ['zstd-stream', zstdStream],
])

/** Discord's gateway: for each version, the format of connections whose URL has no query (discord/gateway). */
export function createDiscordWireFormats(deps: WireFormatDeps): WireFormat[] {
  const translation = createTranslation(deps)
  const formats = new Map<string, WireFormat>()
  for (const version of versions) {
    for (const [compress, compression] of compressions) {
      formats.set(`${version} ${compress}`, createFormat(version, compression))
    }
  }

  function createFormat(version: Version, compression: FrameCompression | undefined): WireFormat {
    const path = discordGatewayPath.replace('v10', `v${version}`)
    return {
      // Some clients put a slash before the query.
      paths: [path, `${path}/`],
      frames: compression === undefined ? discordFrames : compressFrames(discordFrames, compression),
      compression,
      acceptsBinary: true,
      ignoredOps: [DiscordOp.presenceUpdate, DiscordOp.voiceStateUpdate, DiscordOp.requestSoundboardSounds],
      revive: keepLargeIntegers,
      forQuery(query) {
        if ((query.get('encoding') ?? 'json') !== 'json') return noEncoding
        const compress = query.get('compress') ?? ''
        const known = compressions.has(compress) ? compress : ''
        return formats.get(`${query.get('v') ?? version} ${known}`) ?? noVersion
      },
      parseIdentify: d => parseDiscordIdentify(d, version),
      parseResume: parseDiscordResume,
      toCloseCode: toDiscordCloseCode,
      translation,
    }
  }

  return versions.flatMap(version => formats.get(`${version} `) ?? [])
}

type Encoded = readonly EncodedEvent[] | Promise<readonly EncodedEvent[]>

function createTranslation(deps: WireFormatDeps): Translation {
  const { clock, rateLimiter, baseUrl } = deps
  const url = new URL(discordGatewayPath, baseUrl.replace(/^http/, 'ws')).href
  const eventDeps: EventDeps = {
    ...deps,
    readServer: (session, serverId) => readGuildCreate(deps, session, serverId),
  }
  /** Translated once for all sessions of this node. By event, and by what the result depends on besides. */
  const shared = new WeakMap<object, Map<string, Encoded>>()

  function countBytes(userId: string, { length }: EncodedEvent): void {
    rateLimiter.addRequests(userId, Math.floor(length / responseBytesPerRequest))
  }

  function encode(translated: { t: string; d: unknown } | undefined, id?: string): readonly EncodedEvent[] {
    if (translated === undefined) return []
    return [new EncodedEvent({ ...translated, id }, clock())]
  }

  function translateFor(session: TranslatedSession, event: PublishedEvent | DispatchRequest): Encoded {
    const translated = translateEvent(eventDeps, session, event)
    const id = idOf(event)
    return translated instanceof Promise
      ? translated.then(result => encode(result, id))
      : encode(translated, id)
  }

  function translateOnce(
    session: TranslatedSession,
    event: PublishedEvent | DispatchRequest,
    variant = '',
  ): Encoded {
    const known = shared.get(event)?.get(variant)
    if (known !== undefined) return known
    const encoded = translateFor(session, event)
    shared.set(event, (shared.get(event) ?? new Map<string, Encoded>()).set(variant, encoded))
    return encoded
  }

  /** GUILD_CREATE of a server that the bot has joined: for each session as large as those after READY. */
  async function translateJoined(
    session: TranslatedSession,
    event: PublishedEvent,
  ): Promise<readonly EncodedEvent[]> {
    const { userId } = session.identity
    await waitForRequest(deps, userId)
    const events = await translateOnce(session, event, guildCreateVariant(session))
    for (const encoded of events) countBytes(userId, encoded)
    return events
  }

  async function* readServers(
    session: TranslatedSession,
    { servers }: Pick<Ready, 'servers'>,
  ): AsyncGenerator<EncodedEvent> {
    if (!session.identity.options?.intents.includes('servers')) return
    for (const { id } of servers) {
      // What a client gets by frames counts as the same by HTTP.
      await waitForRequest(deps, session.identity.userId)
      const d = await readGuildCreate(deps, session, id, false)
      for (const event of encode(d && { t: 'GUILD_CREATE', d })) {
        countBytes(session.identity.userId, event)
        yield event
      }
    }
  }

  async function* readMembers(session: TranslatedSession, d: unknown): AsyncGenerator<EncodedEvent> {
    for await (const chunk of readMemberChunks(deps, session, d)) {
      for (const event of encode({ t: 'GUILD_MEMBERS_CHUNK', d: chunk })) {
        countBytes(session.identity.userId, event)
        yield event
      }
    }
  }

  return {
    name: formatName,
    ready: (session, ready) => readReadyEvent(deps, session, ready, url),
    start: readServers,
    translate(session, event) {
      // Its token is that of the session.
      if (event.t === 'INTERACTION_CREATE') return translateFor(session, event)
      if (event.t !== 'SERVER_ADD' && event.t !== 'SERVER_REMOVE') return translateOnce(session, event)
      if (!session.identity.options?.intents.includes('servers')) return []
      return event.t === 'SERVER_ADD' ? translateJoined(session, event) : translateOnce(session, event)
    },
    translateVisibility: event => encode(translateChannelEvent(event)),
    // As Discord's gateway, so that a bot knows its own roles.
    ignoresIntent: ({ identity: { userId, options } }, event) =>
      event.t === 'MEMBER_UPDATE' &&
      event.d.user.id === userId &&
      options?.intents.includes('servers') === true,
    request: (session, op, d) => (op === DiscordOp.requestGuildMembers ? readMembers(session, d) : undefined),
  }
}

/** Undefined for a change of visibility, which a session that moves compares by itself. */
function idOf(event: PublishedEvent | DispatchRequest): string | undefined {
  if (event.t === 'INTERACTION_CREATE') return `${event.d.id}#0`
  return event.id === undefined ? undefined : `${event.id}#0`
}
