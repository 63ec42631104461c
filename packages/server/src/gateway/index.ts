// Owns the WebSocket of users and bots: authentication, sessions and resume, which events each client receives, and the
// dispatch of interactions to a bot's connection. gateway.ts lists the parts.
// Does not own: which events exist and when they are published (the features, platform/events.ts), and what happens to an
// interaction that no bot receives (interactions/).
export type { Handshake } from './authenticate.ts'
export type { Connection, FrameSocket } from './connection.ts'
export type { Gateway } from './gateway.ts'
