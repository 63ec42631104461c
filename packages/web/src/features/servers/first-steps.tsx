import { useQueries, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useChannels, useMembers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { textChannels } from '../../core/servers/channel-order.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { dismissedFirstSteps } from './dismissed-first-steps.ts'
import { InviteDialog } from './lazy-dialogs.ts'
import './first-steps.css'
import { IconButton } from '../../ui/icon-button.tsx'

/** The number of channels to search for webhooks. Limits the requests; a new server has few channels. */
const maxSearchedChannels = 10

interface FirstStepsProps {
  serverId: string
  serverName: string
  channelId: string
}

interface Step {
  id: string
  icon: IconName
  title: string
  hint: string
  done: boolean
  to?: string
  run?(): void
}

/** The checklist for the owner of a new server, until every step is done or the user dismisses it. */
export const FirstSteps = withSettingsTexts(function FirstSteps({
  serverId,
  serverName,
  channelId,
}: FirstStepsProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const [dismissed, setDismissed] = useState(() => dismissedFirstSteps.has(serverId))
  const [inviting, setInviting] = useState(false)
  const { data: members } = useMembers(serverId)
  const { data: channels = [] } = useChannels(serverId)
  const webhooks = useQueries({
    queries: textChannels(channels)
      .slice(0, maxSearchedChannels)
      .map(({ id }) => ({
        queryKey: keys.webhooks(id),
        queryFn: ({ signal }: { signal: AbortSignal }) => api.call('listWebhooks', { channelId: id, signal }),
        enabled: !dismissed,
      })),
  })
  const integrations = useQuery({
    queryKey: keys.integrations(serverId),
    queryFn: ({ signal }) => api.call('listIntegrations', { id: serverId, signal }),
    enabled: !dismissed,
  })
  const applications = useQuery({
    queryKey: keys.applications,
    queryFn: ({ signal }) => api.call('listApplications', { signal }),
    enabled: !dismissed,
  })
  if (
    dismissed ||
    !members ||
    webhooks.some(({ isPending }) => isPending) ||
    !integrations.data ||
    !applications.data
  )
    return null
  const hasRedirectUri = applications.data.some(({ redirectUris }) => redirectUris.length > 0)
  const steps: Step[] = [
    {
      id: 'invite',
      icon: 'people',
      title: t('server.invite'),
      hint: t('steps.people'),
      done: members.filter(({ user }) => !user.bot).length > 1,
      run: () => setInviting(true),
    },
    {
      id: 'webhook',
      icon: 'hook',
      title: t('steps.webhookTitle'),
      hint: t('steps.webhook'),
      done: webhooks.some(({ data }) => data && data.length > 0),
      to: `/channels/${serverId}/${channelId}/settings/webhooks`,
    },
    {
      id: 'bot',
      icon: 'bot',
      title: t('steps.botTitle'),
      hint: t('steps.bot'),
      done: integrations.data.length > 0,
      to: '/developers',
    },
    {
      id: 'application',
      icon: 'lock',
      title: t('steps.signInTitle'),
      hint: t('steps.signIn'),
      done: hasRedirectUri,
      to: '/developers',
    },
  ]
  if (steps.every(({ done }) => done)) return null
  return (
    <section className="steps" aria-label={t('steps.title')}>
      <div className="line">
        <h3 className="grow">{t('steps.title')}</h3>
        <IconButton
          icon="close"
          label={t('steps.hide')}
          onClick={() => {
            dismissedFirstSteps.add(serverId)
            setDismissed(true)
          }}
        />
      </div>
      <ul>
        {steps.map(({ id, icon, title, hint, done, to, run }) => {
          const content = (
            <>
              <Icon name={done ? 'check' : icon} />
              <span className="grow">
                <strong>{title}</strong>
                <span className="hint">{done ? t('steps.done') : hint}</span>
              </span>
            </>
          )
          return (
            <li key={id} className={done ? 'step done' : 'step'}>
              {to ? (
                <Link to={to}>{content}</Link>
              ) : (
                <button type="button" onClick={run}>
                  {content}
                </button>
              )}
            </li>
          )
        })}
      </ul>
      {inviting && (
        <Suspense fallback={null}>
          <InviteDialog serverId={serverId} name={serverName} onClose={() => setInviting(false)} />
        </Suspense>
      )}
    </section>
  )
})
