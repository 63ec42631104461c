import {
  type AuditAction,
  type AuditLogEntry,
  type AuditLogQuery,
  instanceAuditActions,
  serverAuditActions,
} from '@gatehouse/protocol/audit-log'
import { idEpoch } from '@gatehouse/protocol/ids'
import { auditDays, maxListLimit } from '@gatehouse/protocol/limits'
import type { UserServer } from '@gatehouse/protocol/servers'
import type { User } from '@gatehouse/protocol/users'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useMembers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Field } from '../../ui/field.tsx'
import { PagedRows } from '../../ui/paged-rows.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { userText } from '../../ui/user-name.tsx'
import { useChangeTexts } from './audit-changes.ts'

interface Filter {
  userId: string
  action: AuditAction | ''
  /** Days as `2026-01-31`, or empty. */
  from: string
  to: string
}

const dayMs = 86_400_000
/** Of an id of 17 digits, the fewest that are valid. */
const minIdAge = 100 * dayMs

/** The lowest id of the time. */
function idOfTime(ms: number): string {
  return String(BigInt(Math.max(minIdAge, Math.floor(ms) - idEpoch)) << 22n)
}

/** The lowest id of the day in the time zone of the browser, or of the day after `days`. */
function idOfDay(day: string, days = 0): string | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return day ? idOfTime(new Date(year, month - 1, date + days).getTime()) : undefined
}

/** Who did what on a server. */
export function ServerAuditLog({ server: { id } }: { server: UserServer }) {
  const { api } = useClient()
  const { data: members = [] } = useMembers(id)
  return (
    <AuditLog
      serverId={id}
      actions={serverAuditActions}
      people={members.map(({ user }) => user)}
      keyOf={filter => keys.auditLog(id, filter)}
      load={(query, signal) => api.call('listAuditLog', { id, query, signal })}
    />
  )
}

/** Who did what on the instance. */
export const InstanceAuditLog = withSettingsTexts(function InstanceAuditLog() {
  const { api } = useClient()
  return (
    <AuditLog
      serverId={null}
      actions={instanceAuditActions}
      people={[]}
      keyOf={keys.instanceAuditLog}
      load={(query, signal) => api.call('listInstanceAuditLog', { query, signal })}
    />
  )
})

interface AuditLogProps {
  /** Null for the instance. */
  serverId: string | null
  actions: readonly AuditAction[]
  /** Who may have acted, besides the actors of the loaded entries. */
  people: readonly User[]
  keyOf(filter: object): readonly string[]
  load(query: AuditLogQuery, signal: AbortSignal): Promise<AuditLogEntry[]>
}

/** The entries, filtered by person, kind and time. */
function AuditLog({ serverId, actions, people: known, keyOf, load }: AuditLogProps) {
  const { t } = useSettingsI18n()
  const { now } = useClient()
  const [filter, setFilter] = useState<Filter>({ userId: '', action: '', from: '', to: '' })
  const edit = (change: Partial<Filter>) => setFilter({ ...filter, ...change })
  const { userId, action, from, to } = filter
  const query = useInfiniteQuery({
    queryKey: keyOf(filter),
    queryFn: ({ pageParam, signal }) => {
      const after = idOfDay(from)
      const range = { ...(after ? { after } : {}), before: pageParam, limit: maxListLimit }
      return load({ ...range, ...(userId ? { userId } : {}), ...(action ? { action } : {}) }, signal)
    },
    // With `after` alone, the first page would be the oldest.
    initialPageParam: idOfDay(to, 1) ?? idOfTime(now() + dayMs),
    getNextPageParam: page => (page.length < maxListLimit ? undefined : page.at(-1)?.id),
    staleTime: 0,
  })
  const people = new Map(known.map(user => [user.id, user]))
  for (const { actor } of query.data?.pages.flat() ?? []) if (actor) people.set(actor.id, actor)
  const persons = [...people.values()]
    .map(user => ({ value: user.id, text: userText(user) }))
    .sort((a, b) => a.text.localeCompare(b.text))
  return (
    <Panel hint={t(serverId === null ? 'audit.hintOfInstance' : 'audit.hint', { days: auditDays })}>
      <div className="pair">
        <SelectField
          label={t('audit.person')}
          value={userId}
          options={[{ value: '', text: t('audit.anyone') }, ...persons]}
          onChange={value => edit({ userId: value })}
        />
        <SelectField
          label={t('audit.kind')}
          value={action}
          options={[
            { value: '', text: t('audit.anyKind') },
            ...actions.map(value => ({ value, text: t(`audit.kind.${value}`) })),
          ]}
          onChange={value => edit({ action: actions.find(known => known === value) ?? '' })}
        />
      </div>
      <div className="pair">
        <Field label={t('audit.from')} type="date" value={from} onChange={value => edit({ from: value })} />
        <Field label={t('audit.to')} type="date" value={to} onChange={value => edit({ to: value })} />
      </div>
      <PagedRows
        query={query}
        empty={<EmptyState icon="clock" title={t('audit.none')} text={t('audit.noneHint')} />}
      >
        {entry => <EntryRow key={entry.id} serverId={serverId} actions={actions} entry={entry} />}
      </PagedRows>
    </Panel>
  )
}

/** The texts of acts on channels that name a category. */
const categoryTexts = {
  CHANNEL_CREATE: 'CATEGORY_CREATE',
  CHANNEL_UPDATE: 'CATEGORY_UPDATE',
  CHANNEL_DELETE: 'CATEGORY_DELETE',
  OVERWRITE_UPDATE: 'CATEGORY_OVERWRITE_UPDATE',
  OVERWRITE_DELETE: 'CATEGORY_OVERWRITE_DELETE',
} as const
const categoryText = (action: string) => Object.entries(categoryTexts).find(([of]) => of === action)?.[1]

type EntryRowProps = Pick<AuditLogProps, 'serverId' | 'actions'> & { entry: AuditLogEntry }

function EntryRow({ serverId, actions, entry }: EntryRowProps) {
  const { t, dates } = useSettingsI18n()
  const { actor, target, reason, createdAt } = entry
  const changes = useChangeTexts(serverId, entry)
  const name = actor ? userText(actor) : t('audit.operator')
  const action = actions.find(each => each === entry.action)
  // In the audit log of the server, the actor is the new owner.
  const known =
    action === 'SERVER_TRANSFER' && serverId === null ? 'SERVER_TRANSFER_BY_ADMINISTRATOR' : action
  const key = known && target.type === 'category' ? (categoryText(known) ?? known) : known
  const names = { actor: name, target: target.type === 'user' ? `@${target.name}` : target.name }
  return (
    <li className="row-card">
      <Avatar src={actor?.avatar ?? null} name={actor?.displayName ?? name} size={40} />
      <div className="grow">
        <p>{key ? t(`audit.act.${key}`, names) : `${name}: ${entry.action} ${names.target}`}</p>
        {changes.length > 0 && (
          <ul className="hint">
            {changes.map(text => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
        {reason !== null && <p>{t('audit.reason', { reason })}</p>}
        <p className="hint">
          <time dateTime={createdAt}>{dates.full(createdAt)}</time>
        </p>
      </div>
    </li>
  )
}
