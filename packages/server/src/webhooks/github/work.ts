import type { Members } from '@gatehouse/protocol/members'
import { body } from './body.ts'
import { colorOf, colors, type News } from './card.ts'
import { link, part, parts, quoted, words } from './read.ts'

/** Commits, branches, releases and what machines found out about them. Undefined for what is only on its way. */

const maxCommits = 10

export function push(payload: Members): News | undefined {
  const branch = words(payload, 'ref').replace(/^refs\/(heads|tags)\//, '')
  const commits = parts(payload, 'commits')
  const url = link(payload, 'compare')
  if (commits.length === 0) {
    // A branch that begins or ends has an event of its own.
    if (payload.forced !== true || payload.deleted === true || payload.created === true) return undefined
    return { title: `Force-pushed to ${words(payload, 'after').slice(0, 7)}`, url, color: colors.bad, branch }
  }
  const lines = commits.slice(0, maxCommits).map(lineOf)
  if (commits.length > maxCommits) lines.push(`and ${commits.length - maxCommits} more`)
  const count = commits.length === 1 ? '1 new commit' : `${commits.length} new commits`
  return {
    title: payload.forced === true ? `${count}, force-pushed` : count,
    url: commits.length === 1 ? (link(commits[0] ?? {}, 'url') ?? url) : url,
    text: lines.join('\n'),
    color: payload.forced === true ? colors.waiting : colors.plain,
    branch,
  }
}

function lineOf(commit: Members): string {
  const [subject = ''] = words(commit, 'message').split('\n', 1)
  const short = `\`${words(commit, 'id')
    .replace(/[^0-9a-f]/gi, '')
    .slice(0, 7)}\``
  const url = link(commit, 'url')?.replace(/[()<>\\\s]/g, encodeURIComponent)
  const author = part(commit, 'author')
  const name = words(author, 'username') || words(author, 'name')
  const hash = url === undefined || /[()]/.test(url) ? short : `[${short}](${url})`
  return `${hash} ${quoted(subject.slice(0, 200).toWellFormed())}${name === '' ? '' : ` – ${quoted(name)}`}`
}

export function create(payload: Members): News | undefined {
  const { kind, name } = refOf(payload)
  const repository = link(part(payload, 'repository'), 'html_url')
  const url = repository === undefined ? undefined : `${repository}/tree/${encodeURI(name)}`
  return kind === '' ? undefined : { title: `New ${kind} created: ${name}`, url, color: colors.plain }
}

export function remove(payload: Members): News | undefined {
  const { kind, name } = refOf(payload)
  if (kind === '') return undefined
  const url = link(part(payload, 'repository'), 'html_url')
  return { title: `${kind === 'tag' ? 'Tag' : 'Branch'} deleted: ${name}`, url, color: colors.bad }
}

function refOf(payload: Members): { kind: string; name: string } {
  const kind = words(payload, 'ref_type')
  return { kind: kind === 'branch' || kind === 'tag' ? kind : '', name: words(payload, 'ref') }
}

export function release(payload: Members): News | undefined {
  if (words(payload, 'action') !== 'published') return undefined
  const found = part(payload, 'release')
  const kind = found.prerelease === true ? 'Pre-release' : 'Release'
  return {
    title: `${kind} published: ${words(found, 'name') || words(found, 'tag_name')}`,
    url: link(found, 'html_url'),
    text: body(found),
    color: colors.good,
  }
}

/** check_run, check_suite, workflow_run: each once it is complete. */
export function completed(
  member: 'check_run' | 'check_suite' | 'workflow_run',
  payload: Members,
): News | undefined {
  if (words(payload, 'action') !== 'completed') return undefined
  const run = part(payload, member)
  const conclusion = words(run, 'conclusion')
  const app = words(part(run, 'app'), 'name')
  const name = words(run, 'name') || app || 'Checks'
  const branch = words(run, 'head_branch') || words(part(run, 'check_suite'), 'head_branch')
  const output = part(run, 'output')
  return {
    title: `${name}: ${conclusion.replaceAll('_', ' ') || 'completed'}`,
    url: link(run, 'html_url') ?? link(part(payload, 'repository'), 'html_url'),
    text: [words(output, 'title'), words(output, 'summary')].filter(text => text !== '').join('\n'),
    color: colorOf(conclusion),
    ...(branch === '' ? {} : { branch }),
  }
}

export function status(payload: Members): News | undefined {
  const state = words(payload, 'state')
  if (state === 'pending') return undefined
  return {
    title: `${words(payload, 'context') || 'Status'}: ${state}`,
    url: link(payload, 'target_url') ?? link(part(payload, 'commit'), 'html_url'),
    text: words(payload, 'description'),
    color: colorOf(state),
  }
}

export function deploymentStatus(payload: Members): News | undefined {
  const found = part(payload, 'deployment_status')
  const state = words(found, 'state')
  if (!['success', 'failure', 'error', 'inactive'].includes(state)) return undefined
  return {
    title: `Deployment to ${words(found, 'environment') || 'an environment'}: ${state}`,
    url: link(found, 'environment_url') ?? link(found, 'target_url') ?? link(found, 'log_url'),
    text: words(found, 'description'),
    color: colorOf(state),
  }
}
