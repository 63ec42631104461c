import type { Members } from '@gatehouse/protocol/members'
import { colors, type News } from './card.ts'
import { link, part, parts, quoted, words } from './read.ts'

/** Stars, forks, members and the like. */

export function star(payload: Members): News | undefined {
  if (words(payload, 'action') !== 'created') return undefined
  const repository = part(payload, 'repository')
  const count = words(repository, 'stargazers_count')
  return {
    title: 'New star added',
    url: link(repository, 'html_url'),
    text: count === '' ? '' : `⭐ ${count}`,
    color: colors.waiting,
  }
}

export function fork(payload: Members): News | undefined {
  const forkee = part(payload, 'forkee')
  return {
    title: `Fork created: ${words(forkee, 'full_name')}`,
    url: link(forkee, 'html_url'),
    color: colors.plain,
  }
}

export function member(payload: Members): News | undefined {
  if (words(payload, 'action') !== 'added') return undefined
  const found = part(payload, 'member')
  return {
    title: `New collaborator added: ${words(found, 'login')}`,
    url: link(found, 'html_url'),
    color: colors.good,
  }
}

export function madePublic(payload: Members): News | undefined {
  const url = link(part(payload, 'repository'), 'html_url')
  return { title: 'Now open to the public', url, color: colors.good }
}

export function repository(payload: Members): News | undefined {
  const action = words(payload, 'action')
  if (!['created', 'deleted', 'archived', 'unarchived', 'renamed', 'transferred'].includes(action))
    return undefined
  return {
    title: `Repository ${action}`,
    url: link(part(payload, 'repository'), 'html_url'),
    color: action === 'deleted' ? colors.bad : colors.plain,
  }
}

export function wiki(payload: Members): News | undefined {
  const pages = parts(payload, 'pages')
  if (pages.length === 0) return undefined
  const lines = pages
    .slice(0, 10)
    .map(
      page =>
        `${words(page, 'action') || 'edited'}: ${quoted(words(page, 'title') || words(page, 'page_name'))}`,
    )
  return {
    title: 'Wiki changed',
    url: link(pages[0] ?? {}, 'html_url'),
    text: lines.join('\n'),
    color: colors.plain,
  }
}
