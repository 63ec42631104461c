export {
  addBot,
  type BotApplication,
  createApplication,
  createBotApplication,
  installBot,
} from '../../server/src/cli/demo/demo-applications.ts'
