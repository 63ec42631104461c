import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import type { JsonObject } from '@gatehouse/protocol/json-object'
import { maxAuthorName, maxEmbedDescription, maxEmbedTitle } from '@gatehouse/protocol/limits'
import { type EventSummary, readObject, readText, readUrl } from './github/event.ts'
import {
  summarizeCommitComment,
  summarizeDiscussion,
  summarizeDiscussionComment,
  summarizeIssue,
  summarizeIssueComment,
  summarizePullRequest,
  summarizeReview,
  summarizeReviewComment,
} from './github/issues.ts'
import {
  summarizeCompletion,
  summarizeCreation,
  summarizeDeletion,
  summarizeDeploymentStatus,
  summarizeFork,
  summarizeMember,
  summarizePublication,
  summarizePush,
  summarizeRelease,
  summarizeRepository,
  summarizeStar,
  summarizeStatus,
  summarizeWiki,
} from './github/repository.ts'
import type { NewWebhookMessage } from './message-body.ts'
import { fitEmbeds, truncate } from './truncate.ts'

interface EventType {
  summarize: (payload: JsonObject) => EventSummary | undefined
  /** Members that every payload of the event type has. Default: `action`. */
  required?: readonly string[]
}

// Without `watch`, which GitHub sends together with every `star`.
const eventTypes: ReadonlyMap<string, EventType> = new Map<string, EventType>([
  ['push', { summarize: summarizePush, required: ['ref', 'commits'] }],
  ['pull_request', { summarize: summarizePullRequest }],
  ['pull_request_review', { summarize: summarizeReview }],
  ['pull_request_review_comment', { summarize: summarizeReviewComment }],
  ['issues', { summarize: summarizeIssue }],
  ['issue_comment', { summarize: summarizeIssueComment }],
  ['commit_comment', { summarize: summarizeCommitComment }],
  ['discussion', { summarize: summarizeDiscussion }],
  ['discussion_comment', { summarize: summarizeDiscussionComment }],
  ['release', { summarize: summarizeRelease }],
  ['create', { summarize: summarizeCreation, required: ['ref', 'ref_type'] }],
  ['delete', { summarize: summarizeDeletion, required: ['ref', 'ref_type'] }],
  ['check_run', { summarize: payload => summarizeCompletion('check_run', payload) }],
  ['check_suite', { summarize: payload => summarizeCompletion('check_suite', payload) }],
  ['workflow_run', { summarize: payload => summarizeCompletion('workflow_run', payload) }],
  ['status', { summarize: summarizeStatus, required: ['state'] }],
  ['deployment_status', { summarize: summarizeDeploymentStatus, required: ['deployment_status'] }],
  ['star', { summarize: summarizeStar }],
  ['fork', { summarize: summarizeFork, required: [] }],
  ['member', { summarize: summarizeMember }],
  ['public', { summarize: summarizePublication, required: [] }],
  ['repository', { summarize: summarizeRepository }],
  ['gollum', { summarize: summarizeWiki, required: ['pages'] }],
])

/**
 * Converts an event to a message with one embed (webhooks/github). Returns undefined for `ping`, unknown event types and
 * actions that are not posted.
 */
export function parseGithubEvent(eventType: string, payload: JsonObject): NewWebhookMessage | undefined {
  const summary = eventTypes.get(eventType)?.summarize(payload)
  if (summary === undefined) return undefined
  const prefix = formatRepository(payload, summary.branch)
  const embed: Embed = { title: truncate(`${prefix}${summary.title}`, maxEmbedTitle), color: summary.color }
  if (summary.url !== undefined) embed.url = summary.url
  const description = truncate(summary.description ?? '', maxEmbedDescription)
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
  const { embeds } = checkEmbeds(fitEmbeds([embed]))
  return embeds.length === 0
    ? undefined
    : { content: '', embeds, allowedMentions: undefined, username: undefined, avatarUrl: undefined }
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
  const { required = ['action'] } = known
  const missing = required.filter(field => payload[field] === undefined || payload[field] === null)
  if (missing.length > 0) {
    const fields = missing.map(field => `"${field}"`).join(' and ')
    return `Ignored: the event ${name} has no ${fields}. Is it the payload of a GitHub webhook?`
  }
  const action = readText(payload, 'action')
  if (action !== '') {
    return `Ignored: ${name} events with the action ${JSON.stringify(truncate(action, 64))} are not posted.`
  }
  if (eventType === 'push') {
    return 'Ignored: the push has no commits. GitHub sends separate events for created and deleted branches.'
  }
  return `Ignored: this ${name} event is not posted.`
}
