import type { Embed } from '@gatehouse/protocol/embeds'
import { referencePattern } from '@gatehouse/protocol/ids'
import type { Message } from '@gatehouse/protocol/messages'
import type { Report, ReportedNames, ReportState } from '@gatehouse/protocol/reports'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { Link } from 'react-router'
import { problemText } from '../core/api/client.ts'
import { useChannels } from '../core/api/queries.ts'
import { useSettingsI18n, useSettingsT } from '../core/i18n/settings-i18n.tsx'
import { Avatar } from './avatar.tsx'
import { EmptyState } from './empty-state.tsx'
import { ErrorText } from './error-text.tsx'
import { withIndexKeys } from './index-keys.ts'
import { PagedRows } from './paged-rows.tsx'
import { SelectField } from './select-field.tsx'
import { Panel } from './settings-page.tsx'
import { useConfirm } from './use-confirm.ts'
import { useSubmit } from './use-submit.ts'
import { UserName, userText } from './user-name.tsx'

const reportStates = ['open', 'resolved', 'dismissed'] as const satisfies readonly ReportState[]

interface ReportListProps<R> extends Pick<ComponentProps<typeof PagedRows<R>>, 'query' | 'children'> {
  hint: string
  /** That of the listed reports. Undefined for all. */
  state: ReportState | undefined
  onStateChange(state: ReportState | undefined): void
}

/** The reports in a state, newest first. */
export function ReportList<R extends Report>({
  hint,
  state,
  onStateChange,
  query,
  children,
}: ReportListProps<R>) {
  const t = useSettingsT()
  return (
    <Panel hint={hint}>
      <SelectField
        label={t('report.state')}
        value={state ?? ''}
        options={[
          ...reportStates.map(value => ({ value, text: t(`report.state.${value}`) })),
          { value: '', text: t('report.anyState') },
        ]}
        onChange={text => onStateChange(reportStates.find(each => each === text))}
      />
      <PagedRows
        query={query}
        empty={<EmptyState icon="flag" title={t('report.none')} text={t('report.noneHint')} />}
      >
        {children}
      </PagedRows>
    </Panel>
  )
}

/**
 * Offers to resolve a report after something was done about it. `resolve` sends the request. Nothing is offered for a
 * report that is closed.
 */
export function useOfferToResolve(): (
  report: Pick<Report, 'user' | 'state'>,
  resolve: () => Promise<unknown>,
) => void {
  const t = useSettingsT()
  const confirm = useConfirm()
  return ({ user, state }, resolve) => {
    if (state !== 'open') return
    confirm({
      title: t('report.offerTitle'),
      text: t('report.offer', { name: userText(user) }),
      action: t('report.set.resolved'),
      isHarmless: true,
      run: resolve,
    })
  }
}

interface ReportCardProps {
  report: Report
  /** Undefined if it is not loaded, null for a report of a member. */
  message: Message | null | undefined
  /** Of what the message mentions. */
  names: ReportedNames | undefined
  setState(state: ReportState): Promise<unknown>
  /** Buttons and links beside those that set the state. */
  children: ReactNode
}

/** A report, with what its viewer can do. */
export function ReportCard({ report, message, names = noNames, setState, children }: ReportCardProps) {
  const { t, dates } = useSettingsI18n()
  const id = useId()
  const form = useSubmit({}, problemText)
  const { user, reporter, reason, state, createdAt, closedBy, closedAt } = report
  const next: readonly ReportState[] = state === 'open' ? ['resolved', 'dismissed'] : ['open']
  return (
    <li className="row-card report" aria-labelledby={id}>
      <Avatar src={user.avatarProxyUrl ?? user.avatar} name={user.displayName} size={40} />
      <div className="grow report-main">
        <div id={id}>
          <UserName user={user} />{' '}
          {user.bot && <span className="badge">{t(user.webhookId ? 'chat.webhook' : 'chat.bot')}</span>}{' '}
          {state !== 'open' && <span className="badge">{t(`report.state.${state}`)}</span>}
        </div>
        <p className="report-reason">{t('report.because', { name: userText(reporter), reason })}</p>
        {message && <MessageCopy message={message} names={names} />}
        <p className="hint">
          <ReportedPlace report={report} names={names} /> ·{' '}
          <time dateTime={createdAt}>{dates.full(createdAt)}</time>
        </p>
        {closedBy && closedAt !== null && (
          <p className="hint">
            {t('report.closedBy', { name: userText(closedBy), date: dates.full(closedAt) })}
          </p>
        )}
        <ErrorText text={form.problem} />
        <div className="line">
          {next.map(each => (
            <button
              key={each}
              type="button"
              className="button secondary small"
              disabled={form.busy}
              aria-describedby={id}
              onClick={() => void form.submit(() => setState(each))}
            >
              {t(`report.set.${each}`)}
            </button>
          ))}
          {children}
        </div>
      </div>
    </li>
  )
}

const noNames: ReportedNames = { users: [], roles: [], channels: [] }

interface NamesProps {
  names: ReportedNames
}

/** Where the message is, with a link to the channel unless it is deleted. */
function ReportedPlace({ report, names }: NamesProps & { report: Report }) {
  const t = useSettingsT()
  const { serverId, channelId } = report
  const { data: channels = [] } = useChannels(serverId)
  if (channelId === null) return t('report.ofMember')
  if (serverId === null) return t('report.ofDirectMessage')
  const exists = channels.some(({ id }) => id === channelId)
  return (
    <>
      {t('report.ofMessage')}{' '}
      {exists ? (
        <Link to={`/channels/${serverId}/${channelId}`}>
          <Reference sign="#" id={channelId} names={names} />
        </Link>
      ) : (
        <Reference sign="#" id={channelId} names={names} />
      )}
    </>
  )
}

/** What a message mentions. The reader may not see every channel. */
function Reference({
  sign,
  id,
  names: { users, roles, channels },
}: NamesProps & { sign: string; id: string }) {
  const t = useSettingsT()
  const user = users.find(each => each.id === id)
  const named = (sign === '#' ? channels : roles).find(each => each.id === id)
  const name = sign === '#' || sign === '@&' ? named?.name.replace(/^@/, '') : user && userText(user)
  return <bdi className="mention">{`${sign.charAt(0)}${name ?? t('chat.unknownUser')}`}</bdi>
}

interface ReferenceParts {
  sign: string
  id: string
}

function splitReferences(text: string): (string | ReferenceParts)[] {
  const parts: (string | ReferenceParts)[] = []
  let from = 0
  for (const { 0: whole, 1: sign = '', 2: id = '', index } of text.matchAll(
    new RegExp(referencePattern, 'g'),
  )) {
    parts.push(text.slice(from, index), { sign, id })
    from = index + whole.length
  }
  return [...parts, text.slice(from)]
}

/** The text as it was typed, so that nothing in it is hidden, with names instead of ids. */
function MessageCopy({ message: { content, embeds }, names }: NamesProps & { message: Message }) {
  const t = useSettingsT()
  const texts = [content, ...embeds.flatMap(textsOf)].filter(Boolean)
  return (
    <blockquote className="report-copy" aria-label={t('report.copy')}>
      {withIndexKeys(splitReferences(texts.join('\n'))).map(({ key, item }) =>
        typeof item === 'string' ? item : <Reference key={key} {...item} names={names} />,
      )}
    </blockquote>
  )
}

function textsOf({
  author,
  title,
  url,
  description,
  fields = [],
  footer,
  image,
}: Embed): (string | undefined)[] {
  return [
    author?.name,
    title,
    url,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
    image?.url,
    footer?.text,
  ]
}
