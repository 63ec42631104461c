import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import { type JsonObject, readUrl } from '@gatehouse/protocol/json-object'
import { maxAuthorName, maxEmbedDescription, maxEmbedTitle } from '@gatehouse/protocol/limits'
import { type Dropped, fitEmbeds, truncate, truncateNoted } from '../truncate.ts'
import type { NewWebhookMessage } from '../webhook-messages.ts'
import { type EventType, readObject, readText } from './github-event.ts'
import { issueEvents } from './github-issues.ts'
import { repositoryEvents } from './github-repository.ts'

// Without `watch`, which GitHub sends together with every `star`.
const eventTypes: ReadonlyMap<string, EventType> = new Map(
  Object.entries({ ...issueEvents, ...repositoryEvents }),
)

/**
 * Converts an event to a message with one embed (webhooks/github). Returns undefined for `ping`, unknown event types,
 * actions that are not posted, and payloads without a member that GitHub always sends. `dropped` gets what was cut.
 */
export function parseGithubEvent(
  eventType: string,
  payload: JsonObject,
  dropped: Dropped = new Set(),
): NewWebhookMessage | undefined {
  const type = eventTypes.get(eventType)
  if (type === undefined || findMissingMembers(type, payload).length > 0) return undefined
  if (type.actions && !type.actions.includes(readText(payload, 'action'))) return undefined
  const summary = type.summarize(payload)
  if (summary === undefined) return undefined
  const prefix = formatRepository(payload, summary.branch)
  const title = truncateNoted(`${prefix}${summary.title}`, maxEmbedTitle, dropped, 'the title')
  const embed: Embed = { title, color: summary.color }
  if (summary.url !== undefined) embed.url = summary.url
  const text = summary.description ?? ''
  const description = truncateNoted(text, maxEmbedDescription, dropped, 'the description')
  if (description !== '') embed.description = description
  const sender = readObject(payload, 'sender')
  const name = truncate(readText(sender, 'login'), maxAuthorName)
  if (name !== '') {
    const url = readUrl(sender, 'html_url')
    const icon = readUrl(sender, 'avatar_url')
    embed.author = {
      name,
      ...(url === undefined ? {} : { url }),
      ...(icon === undefined ? {} : { icon_url: icon }),
    }
  }
  const { embeds } = checkEmbeds(fitEmbeds([embed], dropped))
  return embeds.length === 0
    ? undefined
    : { content: '', embeds, allowedMentions: undefined, username: undefined, avatarUrl: undefined }
}

function findMissingMembers({ required = ['action'] }: EventType, payload: JsonObject): string[] {
  return required.filter(name => payload[name] === undefined || payload[name] === null)
}

function formatRepository(payload: JsonObject, branch: string | undefined): string {
  const name =
    readText(readObject(payload, 'repository'), 'full_name') ||
    readText(readObject(payload, 'organization'), 'login')
  if (name === '') return ''
  return branch === undefined || branch === '' ? `[${name}] ` : `[${name}:${branch}] `
}

/** For the delivery log: why `parseGithubEvent` returns undefined for an event. */
export function explainIgnoredEvent(eventType: string, payload: JsonObject): string {
  if (eventType === 'ping') {
    return 'Ping received: GitHub can reach this webhook. A ping creates no message.'
  }
  const name = JSON.stringify(truncate(eventType, 64))
  const known = eventTypes.get(eventType)
  if (known === undefined) return `Ignored: events of the type ${name} are not posted.`
  const action = readText(payload, 'action')
  const isPostedAction = known.actions?.includes(action) ?? true
  const missing = findMissingMembers(known, payload)
  if (missing.length > 0 && (action === '' || isPostedAction)) {
    const members = missing.map(member => `"${member}"`).join(' and ')
    return `Ignored: the event ${name} has no ${members}. Is it the payload of a GitHub webhook?`
  }
  if (action !== '') {
    return `Ignored: ${name} events with the action ${JSON.stringify(truncate(action, 64))} are not posted.`
  }
  if (eventType === 'push') {
    return 'Ignored: the push has no commits. GitHub sends separate events for created and deleted branches.'
  }
  return `Ignored: this ${name} event is not posted.`
}
