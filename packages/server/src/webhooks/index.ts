// What other features use of incoming webhooks: bodies, errors and objects in Discord's format. The parts of the module
// are created in webhooks-module.ts.
export {
  filesNotAccepted,
  nestErrors,
  rateLimitedHeaders,
} from './discord/discord-errors.ts'
export { toDiscordTimestamp, toImageHash } from './discord/discord-format.ts'
export { readDiscordBody, readExactJson } from './request-body.ts'
export { rateLimitHeaders } from './webhook-guard.ts'
export { createNotFoundLimit, type NotFoundLimit } from './webhook-rate-limits.ts'
export { findWebhook, findWebhookApplications } from './webhook-store.ts'
