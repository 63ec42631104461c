/** WebSockets of users and bots in tests. */
export { subjects } from '../../server/src/events/gateway-events.ts'
export {
  createBot,
  type Frame,
  type GatewayClient,
  openSocket,
} from '../../server/src/gateway/gateway-testing.ts'
