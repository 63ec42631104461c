import type { Embed } from '@gatehouse/protocol/embeds'
import type { Message } from '@gatehouse/protocol/messages'
import type { Report, ReportState } from '@gatehouse/protocol/reports'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { problemText } from '../core/api/client.ts'
import { useSettingsI18n, useSettingsT } from '../core/i18n/settings-i18n.tsx'
import { Avatar } from './avatar.tsx'
import { EmptyState } from './empty-state.tsx'
import { ErrorText } from './error-text.tsx'
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
  setState(state: ReportState): Promise<unknown>
  /** Buttons and links beside those that set the state. */
  children: ReactNode
}

/** A report, with what its viewer can do. */
export function ReportCard({ report, message, setState, children }: ReportCardProps) {
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
        {message && <MessageCopy message={message} />}
        <p className="hint">
          {t(report.messageId === null ? 'report.ofMember' : 'report.ofMessage')} ·{' '}
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

/** The text as it was typed, so that nothing in it is hidden. */
function MessageCopy({ message: { content, embeds } }: { message: Message }) {
  const t = useSettingsT()
  const texts = [content, ...embeds.flatMap(textsOf)].filter(Boolean)
  return (
    <blockquote className="report-copy" aria-label={t('report.copy')}>
      {texts.join('\n')}
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
