// Apart from gateway.ts, so that a client loads no definitions with them.

/** Opcodes of the frames; the numbers are Discord's. */
export const Op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const
export type Op = (typeof Op)[keyof typeof Op]

export const CloseCode = {
  /** Also closes a socket whose session another socket resumed (gateway/protocol-errors). */
  unknown: 4000,
  unknownOp: 4001,
  /** Not JSON, over 4 KiB, or an `op` that is not a number. */
  badFrame: 4002,
  notIdentified: 4003,
  /** Do not reconnect. */
  badToken: 4004,
  alreadyIdentified: 4005,
  badSeq: 4007,
  /** Too many frames of the connection, or too many identifies of its user or bot. */
  rateLimited: 4008,
  timedOut: 4009,
  /** Not two integers in their range, or not a bot (gateway/shards). 4010 to 4014 have Discord's meanings. */
  invalidShard: 4010,
  /** Not an array of the names of intents, or not a bot (gateway/intents). */
  invalidIntents: 4013,
  /** A privileged intent that is off in the application (gateway/privileged-intents). */
  disallowedIntents: 4014,
  /** The user or bot has the maximum number of connections (gateway/connection-limit). */
  tooManyConnections: 4015,
  /** The service restarts: resume on another node (IANA registry of RFC 6455). */
  serviceRestart: 1012,
} as const
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode]
