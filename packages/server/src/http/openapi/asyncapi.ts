import { isDefinition } from '@gatehouse/protocol/bridge'
import { gatewayPath } from '@gatehouse/protocol/gateway'
import { CloseCode, Op } from '@gatehouse/protocol/gateway-codes'
import { botEvents, ShardPair, userEvents } from '@gatehouse/protocol/gateway-events'
import { intents } from '@gatehouse/protocol/intents'
import { heartbeatIntervalMs } from '@gatehouse/protocol/limits'
import { closed, Described, OneOf } from '@gatehouse/protocol/schema'
import { Type } from '@gatehouse/protocol/type'
import { version } from '@gatehouse/protocol/version'
import type { TSchema } from 'typebox'
import { cookieName } from '../cookies.ts'
import { descriptionOf } from '../json-schema.ts'
import { examplesOfMessage } from './examples.ts'
import { createSchemaWriter, type Json, type SchemaWriter } from './schemas.ts'

const token = Type.Optional(
  Type.String({ description: 'The token of a bot. The web client sends its session cookie instead.' }),
)

function opcode(op: number) {
  return Type.Unsafe<number>({ type: 'integer', enum: [op] })
}

const nothing = (op: number, description: string) => Type.Object({ op: opcode(op) }, closed(description))

/** The frames of the service besides events. */
const serviceFrames = {
  Hello: Type.Object(
    {
      op: opcode(Op.hello),
      d: Type.Object(
        {
          heartbeatInterval: Type.Integer({
            maximum: heartbeatIntervalMs,
            description: 'The milliseconds between two heartbeats.',
          }),
        },
        closed('How to keep the connection open.'),
      ),
    },
    closed('The first frame of a connection.'),
  ),
  HeartbeatAck: nothing(Op.heartbeatAck, 'The response to a heartbeat.'),
  Reconnect: nothing(Op.reconnect, 'The service stops: resume on a new connection.'),
  InvalidSession: Type.Object(
    { op: opcode(Op.invalidSession), d: Type.Unsafe<false>({ type: 'boolean', enum: [false] }) },
    closed('The session cannot be resumed: identify.'),
  ),
}

const clientFrames = {
  Heartbeat: Type.Object(
    {
      op: opcode(Op.heartbeat),
      d: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 0,
        description: 'The last `s` that was received.',
      }),
    },
    closed('Keeps the connection open.'),
  ),
  Identify: Type.Object(
    {
      op: opcode(Op.identify),
      d: Type.Object(
        {
          token,
          intents: Type.Optional(
            Type.Array(OneOf(intents), {
              uniqueItems: true,
              description: 'Only of a bot: which events it receives. None without it.',
            }),
          ),
          shard: Type.Optional(
            Described(ShardPair, 'Only of a bot: the id of the shard and the count of shards.'),
          ),
        },
        closed('The credential, and what a bot receives.'),
      ),
    },
    closed('Starts a gateway session, within ten seconds.'),
  ),
  Resume: Type.Object(
    {
      op: opcode(Op.resume),
      d: Type.Object(
        {
          token,
          sessionId: Type.String({ description: 'The `sessionId` of READY.' }),
          seq: Type.Integer({ minimum: 0, description: 'The last `s` that was received.' }),
        },
        closed('The session.'),
      ),
    },
    closed('Continues a gateway session with the events that the client missed.'),
  ),
}

const closeCodes = {
  unknown: 'An unknown error, or another connection has resumed the session.',
  unknownOp: 'The `op` is unknown.',
  badFrame: 'The frame is not JSON, is longer than 4 KiB, or has no number as `op`.',
  notIdentified: 'The first frame must be a heartbeat, identify or resume.',
  badToken: 'The token or session is invalid or has ended. Do not reconnect.',
  alreadyIdentified: 'The connection has identified already.',
  badSeq: 'The `seq` of a resume is not one that the service sent.',
  rateLimited: 'Too many frames, or too many identifies of the user or bot. Wait before the next attempt.',
  invalidShard: 'The shard is not [id, count] with 0 <= id < count, or is not of a bot. Do not reconnect.',
  invalidIntents:
    'The intents are not an array of different known names, or are not of a bot. Do not reconnect.',
  disallowedIntents: 'A privileged intent is off in the application. Do not reconnect.',
  timedOut: 'No identify within ten seconds, or two missed heartbeats.',
  tooManyConnections: 'The user or bot has 25 connections.',
  serviceRestart: 'The service restarts. Resume.',
} as const satisfies Record<keyof typeof CloseCode, string>

/** The AsyncAPI 3.0 document of the gateway. `baseUrl` is the URL of the service. */
export function asyncApiDocument(baseUrl: string): Json {
  const schemas = createSchemaWriter({ asyncApi: true })
  const { host, protocol } = new URL(baseUrl)
  const events = { ...userEvents, ...botEvents }
  const messages = {
    ...frameMessages(serviceFrames, schemas),
    ...frameMessages(clientFrames, schemas),
    ...Object.fromEntries(
      Object.entries(events).map(([name, payload]) => [name, eventMessage(name, payload, schemas)]),
    ),
  }
  const components = Object.fromEntries([...schemas.components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Gatehouse gateway',
      version,
      description: 'A WebSocket with the events of a user or bot, in the form of the gateway of Discord.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host,
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        security: [
          { $ref: '#/components/securitySchemes/session' },
          { $ref: '#/components/securitySchemes/bot' },
        ],
      },
    },
    channels: {
      gateway: {
        address: gatewayPath,
        description: 'One connection. Each frame is a JSON text.',
        messages: Object.fromEntries(
          Object.keys(messages).map(name => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        'x-close-codes': Object.entries(CloseCode)
          .map(([name, code]) => ({ code, description: closeCodes[name as keyof typeof CloseCode] }))
          .toSorted((a, b) => a.code - b.code),
      },
    },
    operations: {
      sendFrame: operation('send', 'Frames of the service.', Object.keys(serviceFrames)),
      sendUserEvent: operation('send', 'Events of users.', Object.keys(userEvents)),
      sendBotEvent: operation('send', 'Events of bots.', Object.keys(botEvents)),
      receiveFrame: operation('receive', 'Frames of the client.', Object.keys(clientFrames)),
    },
    components: {
      messages: Object.fromEntries(
        Object.entries(messages).map(([name, message]) => [
          name,
          { ...message, examples: examplesOfMessage(name) },
        ]),
      ),
      schemas: components,
      securitySchemes: {
        session: {
          type: 'httpApiKey',
          in: 'cookie',
          name: cookieName(baseUrl, 'session'),
          description: 'The session of a signed-in user.',
        },
        bot: { type: 'userPassword', description: 'The token of a bot in the frame `Identify`.' },
      },
    },
  }
}

interface Message {
  name: string
  summary?: unknown
  payload: Json
}

function frameMessages(
  frames: Readonly<Record<string, TSchema & { description?: string }>>,
  schemas: SchemaWriter,
): Record<string, Message> {
  return Object.fromEntries(
    Object.entries(frames).map(([name, frame]) => [
      name,
      { name, summary: frame.description, payload: schemas.write(frame) },
    ]),
  )
}

function eventMessage(
  name: string,
  payload: TSchema & { description?: string },
  schemas: SchemaWriter,
): Message {
  const summary = isDefinition(payload) ? descriptionOf(payload) : payload.description
  const frame = Type.Object(
    {
      op: opcode(Op.dispatch),
      s: Type.Integer({ minimum: 1, description: 'The number of the event in the session.' }),
      t: Type.Literal(name),
      d: Type.Unsafe<unknown>(payload),
    },
    closed('An event.'),
  )
  return {
    name,
    ...(summary === undefined ? {} : { summary }),
    payload: schemas.write(frame),
  }
}

function operation(action: 'send' | 'receive', summary: string, messages: readonly string[]): Json {
  return {
    action,
    summary,
    channel: { $ref: '#/channels/gateway' },
    messages: messages.map(name => ({ $ref: `#/channels/gateway/messages/${name}` })),
  }
}
