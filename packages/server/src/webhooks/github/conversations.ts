import type { Members } from '@gatehouse/protocol/members'
import { body } from './body.ts'
import { colorOf, colors, type News } from './card.ts'
import { link, part, words } from './read.ts'

/** Issues, pull requests and what is said about them. Undefined for what nobody waits for: labels, assignments. */

export function pullRequest(payload: Members): News | undefined {
  const pull = part(payload, 'pull_request')
  const action = words(payload, 'action')
  const happened = action === 'closed' && pull.merged === true ? 'merged' : pullActions.get(action)
  if (happened === undefined) return undefined
  return {
    title: `Pull request ${happened}: ${numbered(pull)}`,
    url: link(pull, 'html_url'),
    text: action === 'opened' ? body(pull) : '',
    color: pullColors.get(happened) ?? colors.good,
  }
}

const pullActions: ReadonlyMap<string, string> = new Map([
  ['opened', 'opened'],
  ['closed', 'closed'],
  ['reopened', 'reopened'],
  ['ready_for_review', 'ready for review'],
  ['converted_to_draft', 'converted to draft'],
])

const pullColors: ReadonlyMap<string, number> = new Map([
  ['merged', colors.merged],
  ['closed', colors.bad],
  ['converted to draft', colors.plain],
])

export function issues(payload: Members): News | undefined {
  const issue = part(payload, 'issue')
  const action = words(payload, 'action')
  if (!['opened', 'closed', 'reopened', 'deleted', 'transferred'].includes(action)) return undefined
  const color = action === 'closed' ? colors.merged : action === 'deleted' ? colors.bad : colors.good
  return {
    title: `Issue ${action}: ${numbered(issue)}`,
    url: link(issue, 'html_url'),
    text: action === 'opened' ? body(issue) : '',
    color,
  }
}

export function issueComment(payload: Members): News | undefined {
  if (words(payload, 'action') !== 'created') return undefined
  const issue = part(payload, 'issue')
  const kind = issue.pull_request === undefined ? 'issue' : 'pull request'
  return comment(payload, `New comment on ${kind} ${numbered(issue)}`)
}

export function commitComment(payload: Members): News | undefined {
  if (words(payload, 'action') !== 'created') return undefined
  return comment(payload, `New comment on commit ${words(part(payload, 'comment'), 'commit_id').slice(0, 7)}`)
}

export function review(payload: Members): News | undefined {
  if (words(payload, 'action') !== 'submitted') return undefined
  const found = part(payload, 'review')
  const state = words(found, 'state').toLowerCase()
  const said =
    state === 'approved' ? 'approved' : state === 'changes_requested' ? 'changes requested' : 'reviewed'
  // A review without words comes with comments that have events of their own.
  if (said === 'reviewed' && body(found) === '') return undefined
  return {
    title: `Pull request ${said}: ${numbered(part(payload, 'pull_request'))}`,
    url: link(found, 'html_url'),
    text: body(found),
    color: colorOf(state),
  }
}

export function reviewComment(payload: Members): News | undefined {
  if (words(payload, 'action') !== 'created') return undefined
  return comment(payload, `New review comment on pull request ${numbered(part(payload, 'pull_request'))}`)
}

export function discussion(payload: Members): News | undefined {
  const found = part(payload, 'discussion')
  const action = words(payload, 'action')
  if (!['created', 'answered', 'closed', 'reopened'].includes(action)) return undefined
  return {
    title: `Discussion ${action}: ${numbered(found)}`,
    url: link(found, 'html_url'),
    text: action === 'created' ? body(found) : '',
    color: action === 'answered' ? colors.good : colors.plain,
  }
}

export function discussionComment(payload: Members): News | undefined {
  if (words(payload, 'action') !== 'created') return undefined
  return comment(payload, `New comment on discussion ${numbered(part(payload, 'discussion'))}`)
}

function comment(payload: Members, title: string): News {
  const said = part(payload, 'comment')
  return { title, url: link(said, 'html_url'), text: body(said), color: colors.plain }
}

function numbered(from: Members): string {
  return `#${words(from, 'number')} ${words(from, 'title')}`.trim()
}
