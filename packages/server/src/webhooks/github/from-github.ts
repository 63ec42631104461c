import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import { maxAuthorName, maxEmbedDescription, maxEmbedTitle } from '@gatehouse/protocol/limits'
import type { Members } from '@gatehouse/protocol/members'
import { cut, fitCards } from '../cut.ts'
import type { Draft } from '../draft.ts'
import type { News } from './card.ts'
import {
  commitComment,
  discussion,
  discussionComment,
  issueComment,
  issues,
  pullRequest,
  review,
  reviewComment,
} from './conversations.ts'
import { fork, madePublic, member, repository, star, wiki } from './people.ts'
import { link, part, words } from './read.ts'
import { completed, create, deploymentStatus, push, release, remove, status } from './work.ts'

// `watch` is not here: it comes beside every `star`.
const readers: ReadonlyMap<string, (payload: Members) => News | undefined> = new Map([
  ['push', push],
  ['pull_request', pullRequest],
  ['pull_request_review', review],
  ['pull_request_review_comment', reviewComment],
  ['issues', issues],
  ['issue_comment', issueComment],
  ['commit_comment', commitComment],
  ['discussion', discussion],
  ['discussion_comment', discussionComment],
  ['release', release],
  ['create', create],
  ['delete', remove],
  ['check_run', payload => completed('check_run', payload)],
  ['check_suite', payload => completed('check_suite', payload)],
  ['workflow_run', payload => completed('workflow_run', payload)],
  ['status', status],
  ['deployment_status', deploymentStatus],
  ['star', star],
  ['fork', fork],
  ['member', member],
  ['public', madePublic],
  ['repository', repository],
  ['gollum', wiki],
])

/** An event of GitHub as a card (D48); undefined for what is not shown: `ping`, unknown events, steps on the way. */
export function fromGithub(event: string, payload: Members): Draft | undefined {
  const news = readers.get(event)?.(payload)
  if (news === undefined) return undefined
  const place = placeOf(payload, news.branch)
  const card: Embed = { title: cut(`${place}${news.title}`, maxEmbedTitle), color: news.color }
  if (news.url !== undefined) card.url = news.url
  const text = cut(news.text ?? '', maxEmbedDescription)
  if (text !== '') card.description = text
  const sender = part(payload, 'sender')
  const name = cut(words(sender, 'login'), maxAuthorName)
  if (name !== '') {
    const url = link(sender, 'html_url')
    const icon = link(sender, 'avatar_url')
    card.author = {
      name,
      ...(url === undefined ? {} : { url }),
      ...(icon === undefined ? {} : { icon_url: icon }),
    }
  }
  const { embeds } = checkEmbeds(fitCards([card]))
  return embeds.length === 0
    ? undefined
    : { content: '', embeds, allowed: undefined, name: undefined, avatar: undefined }
}

function placeOf(payload: Members, branch: string | undefined): string {
  const name =
    words(part(payload, 'repository'), 'full_name') || words(part(payload, 'organization'), 'login')
  if (name === '') return ''
  return branch === undefined || branch === '' ? `[${name}] ` : `[${name}:${branch}] `
}
