import { type JsonObject, readUrl } from '@gatehouse/protocol/json-object'
import {
  colors,
  type EventSummary,
  type EventType,
  outcomeColor,
  readBody,
  readObject,
  readText,
} from './github-event.ts'

/** Issues, pull requests, reviews, discussions and their comments. */
export const issueEvents: Readonly<Record<string, EventType>> = {
  pull_request: { required: ['action', 'pull_request'], summarize: summarizePullRequest },
  pull_request_review: {
    required: ['action', 'review', 'pull_request'],
    actions: ['submitted'],
    summarize: summarizeReview,
  },
  pull_request_review_comment: {
    required: ['action', 'comment', 'pull_request'],
    actions: ['created'],
    summarize: summarizeReviewComment,
  },
  issues: {
    required: ['action', 'issue'],
    actions: ['opened', 'closed', 'reopened', 'deleted', 'transferred'],
    summarize: summarizeIssue,
  },
  issue_comment: {
    required: ['action', 'issue', 'comment'],
    actions: ['created'],
    summarize: summarizeIssueComment,
  },
  commit_comment: {
    required: ['action', 'comment'],
    actions: ['created'],
    summarize: summarizeCommitComment,
  },
  discussion: {
    required: ['action', 'discussion'],
    actions: ['created', 'answered', 'closed', 'reopened'],
    summarize: summarizeDiscussion,
  },
  discussion_comment: {
    required: ['action', 'discussion', 'comment'],
    actions: ['created'],
    summarize: summarizeDiscussionComment,
  },
}

function summarizePullRequest(payload: JsonObject): EventSummary | undefined {
  const pullRequest = readObject(payload, 'pull_request')
  const action = readText(payload, 'action')
  const label = action === 'closed' && pullRequest.merged === true ? 'merged' : pullRequestActions.get(action)
  if (label === undefined) return undefined
  return {
    title: `Pull request ${label}: ${formatNumberAndTitle(pullRequest)}`,
    url: readUrl(pullRequest, 'html_url'),
    description: action === 'opened' ? readBody(pullRequest) : '',
    color: pullRequestColors.get(label) ?? colors.green,
  }
}

const pullRequestActions: ReadonlyMap<string, string> = new Map([
  ['opened', 'opened'],
  ['closed', 'closed'],
  ['reopened', 'reopened'],
  ['ready_for_review', 'ready for review'],
  ['converted_to_draft', 'converted to draft'],
])

const pullRequestColors: ReadonlyMap<string, number> = new Map([
  ['merged', colors.purple],
  ['closed', colors.red],
  ['converted to draft', colors.gray],
])

function summarizeIssue(payload: JsonObject): EventSummary {
  const issue = readObject(payload, 'issue')
  const action = readText(payload, 'action')
  const color = action === 'closed' ? colors.purple : action === 'deleted' ? colors.red : colors.green
  return {
    title: `Issue ${action}: ${formatNumberAndTitle(issue)}`,
    url: readUrl(issue, 'html_url'),
    description: action === 'opened' ? readBody(issue) : '',
    color,
  }
}

function summarizeIssueComment(payload: JsonObject): EventSummary {
  const issue = readObject(payload, 'issue')
  const kind = issue.pull_request === undefined ? 'issue' : 'pull request'
  return summarizeComment(payload, `New comment on ${kind} ${formatNumberAndTitle(issue)}`)
}

function summarizeCommitComment(payload: JsonObject): EventSummary {
  const commitId = readText(readObject(payload, 'comment'), 'commit_id')
  return summarizeComment(payload, `New comment on commit ${commitId.slice(0, 7)}`)
}

function summarizeReview(payload: JsonObject): EventSummary | undefined {
  const review = readObject(payload, 'review')
  const state = readText(review, 'state').toLowerCase()
  const label =
    state === 'approved' ? 'approved' : state === 'changes_requested' ? 'changes requested' : 'reviewed'
  const description = readBody(review)
  // A review without a body consists of comments, and GitHub sends an event for each of them.
  if (label === 'reviewed' && description === '') return undefined
  return {
    title: `Pull request ${label}: ${formatNumberAndTitle(readObject(payload, 'pull_request'))}`,
    url: readUrl(review, 'html_url'),
    description,
    color: outcomeColor(state),
  }
}

function summarizeReviewComment(payload: JsonObject): EventSummary {
  const pullRequest = readObject(payload, 'pull_request')
  return summarizeComment(payload, `New review comment on pull request ${formatNumberAndTitle(pullRequest)}`)
}

function summarizeDiscussion(payload: JsonObject): EventSummary {
  const discussion = readObject(payload, 'discussion')
  const action = readText(payload, 'action')
  return {
    title: `Discussion ${action}: ${formatNumberAndTitle(discussion)}`,
    url: readUrl(discussion, 'html_url'),
    description: action === 'created' ? readBody(discussion) : '',
    color: action === 'answered' ? colors.green : colors.gray,
  }
}

function summarizeDiscussionComment(payload: JsonObject): EventSummary {
  const discussion = readObject(payload, 'discussion')
  return summarizeComment(payload, `New comment on discussion ${formatNumberAndTitle(discussion)}`)
}

function summarizeComment(payload: JsonObject, title: string): EventSummary {
  const comment = readObject(payload, 'comment')
  return { title, url: readUrl(comment, 'html_url'), description: readBody(comment), color: colors.gray }
}

function formatNumberAndTitle(from: JsonObject): string {
  return `#${readText(from, 'number')} ${readText(from, 'title')}`.trim()
}
