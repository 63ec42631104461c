/** WebSockets of users and bots in tests. */
export {
  createBot,
  type Frame,
  type GatewayClient,
  openSocket,
} from '../../server/src/gateway/gateway-testing.ts'
