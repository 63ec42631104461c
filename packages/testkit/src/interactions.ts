export { discordToken } from '../../server/src/discord/discord-responses-testing.ts'
/** A server with a bot and its commands, and what users do with them in tests. */
export {
  botOnNode,
  buttons,
  createBot,
  createWorld,
  putCommands,
  runCommand,
  setEndpoint,
  type TestBot,
  type World,
} from '../../server/src/interactions/interactions-testing.ts'
