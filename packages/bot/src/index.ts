export type { BotApi, InteractionApi } from './api.ts'
export type {
  AutocompleteContext,
  AutocompleteHandler,
  AutocompleteHandlers,
  AutocompleteOf,
  Suggestion,
} from './autocomplete.ts'
export {
  type Bot,
  type BotEvents,
  type BotOptions,
  createBot,
  type EndpointContext,
  type EventContext,
  type Runtime,
} from './bot.ts'
export {
  button,
  channelSelect,
  embed,
  link,
  mentionableSelect,
  modal,
  roleSelect,
  row,
  stringSelect,
  textInput,
  userSelect,
} from './builders.ts'
export type { Clock, HandlerClock, Timers } from './clock.ts'
export type {
  AnyCommandDefinition,
  CommandDefinition,
  CommandOptionDefinition,
  MenuCommandDefinition,
  OptionDefinition,
  OptionsOf,
  SubcommandDefinition,
  SubcommandGroupDefinition,
  SubcommandsOf,
} from './commands.ts'
export type {
  AnyContext,
  AwaitMessageOptions,
  AwaitModalOptions,
  AwaitOptions,
  ButtonContext,
  CommandContext,
  CommandContextOf,
  MessageCommandContext,
  ModalContext,
  SelectContext,
  UserCommandContext,
  Waiting,
} from './contexts.ts'
export { customId, type ParamsOf } from './custom-ids.ts'
export type { ChosenRole, ChosenUser, EntitiesOf, Entity } from './entities.ts'
export {
  AlreadyAnsweredError,
  ApiError,
  type FieldError,
  GatehouseError,
  InvalidError,
  LateError,
  NotAnsweredError,
  TokenError,
  UnreachableError,
} from './errors.ts'
export { Permission, type PermissionName, permissionSet } from './permissions.ts'
export type { MessageData, Reply, ReplyEdit } from './reply.ts'
export type * from './resources.ts'
export type { ResponderState } from './responder.ts'
export type { Environment, ErrorHandler, Middleware } from './router.ts'
export type { ServerEvents } from './server-events.ts'
export {
  createTestBot,
  type From,
  type TestBot,
  type TestBotOptions,
  type TestOptions,
  type TypedOption,
  type Use,
} from './test-bot.ts'
export type { TestApi, TestRequest } from './test-resources.ts'
export type * from './types.ts'
export {
  createWebhook,
  type PostedMessage,
  type Webhook,
  type WebhookEdit,
  type WebhookMessage,
  type WebhookOptions,
} from './webhook.ts'
