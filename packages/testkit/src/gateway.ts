/** WebSockets of users and bots in tests. */
export { subjects } from '../../server/src/events/gateway-events.ts'
export {
  clientOn,
  connectUser,
  createBot,
  type Frame,
  type GatewayClient,
  identify,
  openSocket,
} from '../../server/src/gateway/gateway-testing.ts'
