import { type JsonObject, readUrl } from '@gatehouse/protocol/json-object'
import { cutText } from '@gatehouse/protocol/text'
import { escapeMarkdown } from '../discord/escape-markdown.ts'
import { convertStandardMarkdown } from '../standard-markdown.ts'
import {
  colors,
  type EventSummary,
  type EventType,
  outcomeColor,
  readBody,
  readObject,
  readObjects,
  readPlain,
  readText,
} from './github-event.ts'

/** Commits, branches, releases, checks and the repository itself. */
export const repositoryEvents: Readonly<Record<string, EventType>> = {
  push: { required: ['ref', 'commits'], summarize: summarizePush },
  release: { required: ['action', 'release'], actions: ['published'], summarize: summarizeRelease },
  create: { required: ['ref', 'ref_type'], summarize: summarizeCreation },
  delete: { required: ['ref', 'ref_type'], summarize: summarizeDeletion },
  check_run: completion('check_run'),
  check_suite: completion('check_suite'),
  workflow_run: completion('workflow_run'),
  status: { required: ['state'], summarize: summarizeStatus },
  deployment_status: { required: ['deployment_status'], summarize: summarizeDeploymentStatus },
  star: { actions: ['created'], summarize: summarizeStar },
  fork: { required: ['forkee'], summarize: summarizeFork },
  member: { required: ['action', 'member'], actions: ['added'], summarize: summarizeMember },
  public: { required: ['repository'], summarize: summarizePublication },
  repository: {
    required: ['action', 'repository'],
    actions: ['created', 'deleted', 'archived', 'unarchived', 'renamed', 'transferred'],
    summarize: summarizeRepository,
  },
  gollum: { required: ['pages'], summarize: summarizeWiki },
}

const maxCommits = 10
const maxWikiPages = 10

function summarizePush(payload: JsonObject): EventSummary | undefined {
  const branch = readText(payload, 'ref').replace(/^refs\/(heads|tags)\//, '')
  const commits = readObjects(payload, 'commits')
  const url = readUrl(payload, 'compare')
  if (commits.length === 0) {
    // GitHub sends `create` or `delete` for a created or deleted branch.
    if (payload.forced !== true || payload.deleted === true || payload.created === true) return undefined
    const title = `Force-pushed to ${readText(payload, 'after').slice(0, 7)}`
    return { title, url, color: colors.red, branch }
  }
  const lines = commits.slice(0, maxCommits).map(formatCommit)
  if (commits.length > maxCommits) lines.push(`and ${commits.length - maxCommits} more`)
  const count = commits.length === 1 ? '1 new commit' : `${commits.length} new commits`
  return {
    title: payload.forced === true ? `${count}, force-pushed` : count,
    url: commits.length === 1 ? (readUrl(commits[0] ?? {}, 'url') ?? url) : url,
    description: lines.join('\n'),
    color: payload.forced === true ? colors.yellow : colors.gray,
    branch,
  }
}

function formatCommit(commit: JsonObject): string {
  const [subject = ''] = readText(commit, 'message').split('\n', 1)
  const hash = readText(commit, 'id').replace(/[^0-9a-f]/gi, '')
  const shortHash = `\`${hash.slice(0, 7)}\``
  const url = readUrl(commit, 'url')?.replace(/[<>\\\s]/g, encodeURIComponent)
  // A parenthesis would end the Markdown link.
  const link = url === undefined || /[()]/.test(url) ? shortHash : `[${shortHash}](${url})`
  const author = readObject(commit, 'author')
  const name = readText(author, 'username') || readText(author, 'name')
  const suffix = name === '' ? '' : ` – ${name}`
  return `${link} ${escapeMarkdown(`${cutText(subject, 200)}${suffix}`, false)}`
}

function summarizeCreation(payload: JsonObject): EventSummary | undefined {
  const { kind, name } = readRef(payload)
  const repository = readUrl(readObject(payload, 'repository'), 'html_url')
  const url = repository === undefined ? undefined : `${repository}/tree/${encodeURI(name)}`
  return kind === '' ? undefined : { title: `New ${kind} created: ${name}`, url, color: colors.gray }
}

function summarizeDeletion(payload: JsonObject): EventSummary | undefined {
  const { kind, name } = readRef(payload)
  if (kind === '') return undefined
  const url = readUrl(readObject(payload, 'repository'), 'html_url')
  return { title: `${kind === 'tag' ? 'Tag' : 'Branch'} deleted: ${name}`, url, color: colors.red }
}

/** `kind` is 'branch', 'tag' or ''. */
function readRef(payload: JsonObject): { kind: string; name: string } {
  const kind = readText(payload, 'ref_type')
  return { kind: kind === 'branch' || kind === 'tag' ? kind : '', name: readText(payload, 'ref') }
}

function summarizeRelease(payload: JsonObject): EventSummary {
  const release = readObject(payload, 'release')
  const kind = release.prerelease === true ? 'Pre-release' : 'Release'
  return {
    title: `${kind} published: ${readText(release, 'name') || readText(release, 'tag_name')}`,
    url: readUrl(release, 'html_url'),
    description: readBody(release),
    color: colors.green,
  }
}

/** `member` is the event type and the member of the payload. */
function completion(member: 'check_run' | 'check_suite' | 'workflow_run'): EventType {
  return {
    required: ['action', member],
    actions: ['completed'],
    summarize: payload => summarizeCompletion(member, payload),
  }
}

function summarizeCompletion(member: string, payload: JsonObject): EventSummary {
  const run = readObject(payload, member)
  const conclusion = readText(run, 'conclusion')
  const app = readText(readObject(run, 'app'), 'name')
  const name = readText(run, 'name') || app || 'Checks'
  const branch = readText(run, 'head_branch') || readText(readObject(run, 'check_suite'), 'head_branch')
  const output = readObject(run, 'output')
  return {
    title: `${name}: ${conclusion.replaceAll('_', ' ') || 'completed'}`,
    url: readUrl(run, 'html_url') ?? readUrl(readObject(payload, 'repository'), 'html_url'),
    description: [readPlain(output, 'title'), convertStandardMarkdown(readText(output, 'summary'))]
      .filter(text => text !== '')
      .join('\n'),
    color: outcomeColor(conclusion),
    ...(branch === '' ? {} : { branch }),
  }
}

function summarizeStatus(payload: JsonObject): EventSummary | undefined {
  const state = readText(payload, 'state')
  if (state === 'pending') return undefined
  return {
    title: `${readText(payload, 'context') || 'Status'}: ${state}`,
    url: readUrl(payload, 'target_url') ?? readUrl(readObject(payload, 'commit'), 'html_url'),
    description: readPlain(payload, 'description'),
    color: outcomeColor(state),
  }
}

function summarizeDeploymentStatus(payload: JsonObject): EventSummary | undefined {
  const status = readObject(payload, 'deployment_status')
  const state = readText(status, 'state')
  if (!['success', 'failure', 'error', 'inactive'].includes(state)) return undefined
  return {
    title: `Deployment to ${readText(status, 'environment') || 'an environment'}: ${state}`,
    url: readUrl(status, 'environment_url') ?? readUrl(status, 'target_url') ?? readUrl(status, 'log_url'),
    description: readPlain(status, 'description'),
    color: outcomeColor(state),
  }
}

function summarizeStar(payload: JsonObject): EventSummary {
  const repository = readObject(payload, 'repository')
  const count = readText(repository, 'stargazers_count')
  return {
    title: 'New star added',
    url: readUrl(repository, 'html_url'),
    description: count === '' ? '' : `⭐ ${count}`,
    color: colors.yellow,
  }
}

function summarizeFork(payload: JsonObject): EventSummary {
  const fork = readObject(payload, 'forkee')
  return {
    title: `Fork created: ${readText(fork, 'full_name')}`,
    url: readUrl(fork, 'html_url'),
    color: colors.gray,
  }
}

function summarizeMember(payload: JsonObject): EventSummary {
  const member = readObject(payload, 'member')
  return {
    title: `New collaborator added: ${readText(member, 'login')}`,
    url: readUrl(member, 'html_url'),
    color: colors.green,
  }
}

function summarizePublication(payload: JsonObject): EventSummary {
  const url = readUrl(readObject(payload, 'repository'), 'html_url')
  return { title: 'Now open to the public', url, color: colors.green }
}

function summarizeRepository(payload: JsonObject): EventSummary {
  const action = readText(payload, 'action')
  return {
    title: `Repository ${action}`,
    url: readUrl(readObject(payload, 'repository'), 'html_url'),
    color: action === 'deleted' ? colors.red : colors.gray,
  }
}

function summarizeWiki(payload: JsonObject): EventSummary | undefined {
  const pages = readObjects(payload, 'pages')
  if (pages.length === 0) return undefined
  const lines = pages.slice(0, maxWikiPages).map(page => {
    const title = readText(page, 'title') || readText(page, 'page_name')
    return escapeMarkdown(`${readText(page, 'action') || 'edited'}: ${title}`)
  })
  return {
    title: 'Wiki changed',
    url: readUrl(pages[0] ?? {}, 'html_url'),
    description: lines.join('\n'),
    color: colors.gray,
  }
}
