// Owns the WebSocket of people and bots: who is connected, what each may be told at that moment, how a session goes on
// after its socket was lost, and the delivery of interactions to the sessions of a bot (D26).
// Does not own: what is told, which features publish (platform/events); who a credential belongs to; what an interaction
// becomes when nobody takes it (interactions/).
export type { Delivered } from './bot.ts'
export type { Connection, Peer } from './connection.ts'
export { createGateway, type Gateway, type GatewayDeps } from './gateway.ts'
export type { Visitor } from './identity.ts'
