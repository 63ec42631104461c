import { examples, messageExamples } from '@gatehouse/protocol/examples'
import { gatewayPath } from '@gatehouse/protocol/gateway'
import { CloseCode, Op } from '@gatehouse/protocol/gateway-codes'
import { botEvents, ShardPair, userEvents } from '@gatehouse/protocol/gateway-events'
import { intents } from '@gatehouse/protocol/intents'
import { heartbeatIntervalMs } from '@gatehouse/protocol/limits'
import { version } from '@gatehouse/protocol/version'
import {
  constant,
  described,
  integer,
  keywords,
  list,
  nullable,
  object,
  oneOf,
  optional,
  type Schema,
  string,
} from '@gatehouse/protocol/wire'
import { cookieName } from '../cookies.ts'
import { descriptionOf } from '../json-schema.ts'
import { createSchemaWriter, type Json, type SchemaWriter } from './openapi-schemas.ts'

const token = optional(string('The token of a bot. The web client sends its session cookie instead.'))

const nothing = (op: number, description: string) => object({ op: constant(op) }, description)

/** The frames of the service besides events. */
const serviceFrames = {
  Hello: object(
    {
      op: constant(Op.hello),
      d: object(
        {
          heartbeatInterval: integer('The milliseconds between two heartbeats.', {
            max: heartbeatIntervalMs,
          }),
        },
        'How to keep the connection open.',
      ),
    },
    'The first frame of a connection.',
  ),
  HeartbeatAck: nothing(Op.heartbeatAck, 'The response to a heartbeat.'),
  Reconnect: nothing(Op.reconnect, 'The service stops: resume on a new connection.'),
  InvalidSession: object(
    { op: constant(Op.invalidSession), d: constant(false) },
    'The session cannot be resumed: identify.',
  ),
}

const clientFrames = {
  Heartbeat: object(
    {
      op: constant(Op.heartbeat),
      d: nullable(integer(undefined, { min: 0 }), 'The last `s` that was received.'),
    },
    'Keeps the connection open.',
  ),
  Identify: object(
    {
      op: constant(Op.identify),
      d: object(
        {
          token,
          intents: optional(
            keywords(list(oneOf(intents), 'Only of a bot: which events it receives. None without it.'), {
              uniqueItems: true,
            }),
          ),
          shard: optional(
            described(ShardPair, 'Only of a bot: the id of the shard and the count of shards.'),
          ),
        },
        'The credential, and what a bot receives.',
      ),
    },
    'Starts a gateway session, within ten seconds.',
  ),
  Resume: object(
    {
      op: constant(Op.resume),
      d: object(
        {
          token,
          sessionId: string('The `sessionId` of READY.'),
          seq: integer('The last `s` that was received.', { min: 0 }),
        },
        'The session.',
      ),
    },
    'Continues a gateway session with the events that the client missed.',
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
          { ...message, examples: [{ payload: exampleOf(message) }] },
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
  frames: Readonly<Record<string, Schema>>,
  schemas: SchemaWriter,
): Record<string, Message> {
  return Object.fromEntries(
    Object.entries(frames).map(([name, frame]) => [
      name,
      { name, summary: descriptionOf(frame), payload: schemas.write(frame) },
    ]),
  )
}

function eventMessage(name: string, payload: Schema, schemas: SchemaWriter): Message {
  const summary = descriptionOf(payload)
  const frame = object(
    {
      op: constant(Op.dispatch),
      s: integer('The number of the event in the session.', { min: 1 }),
      t: keywords(string(), { const: name }),
      d: payload,
    },
    'An event.',
  )
  return {
    name,
    ...(summary === undefined ? {} : { summary }),
    payload: schemas.write(frame),
  }
}

/** `d` is the example of its schema, if that has a name. */
function exampleOf({ name, payload }: Message): Json {
  const { op, t, d } = payload.properties as { op: { enum: [number] }; t?: Json; d?: Json }
  const reference = d?.$ref ?? (d?.allOf as readonly Json[] | undefined)?.[0]?.$ref
  const example = messageExamples[name] ?? examples[String(reference).split('/').at(-1) ?? '']
  return {
    op: op.enum[0],
    ...(t ? { s: 1, t: name } : {}),
    ...(d ? { d: example } : {}),
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
