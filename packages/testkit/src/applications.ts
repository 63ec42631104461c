export {
  addBot,
  type BotApplication,
  createApplication,
  createBotApplication,
  installBot,
} from '../../server/src/demo/applications.ts'
