import { maxListLimit } from '@gatehouse/protocol/limits'
import { permissionFor } from '@gatehouse/protocol/permissions'
import type { ServerInvite, UserServer } from '@gatehouse/protocol/servers'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useChannels, useServer } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { hasServerPermission } from '../../core/servers/permissions.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { userText } from '../../ui/user-name.tsx'
import { InviteDialog } from '../servers/index.ts'

/** The valid invites of a server, with a button to revoke each, and one that pauses all of them. */
export function ServerInvites({ server }: { server: UserServer }) {
  return (
    <>
      <InvitesPause server={server} />
      <InviteList server={server} />
    </>
  )
}

function InvitesPause({ server: { id } }: { server: UserServer }) {
  const t = useSettingsT()
  const { api } = useClient()
  const { data: server } = useServer(id)
  const { busy, problem, submit } = useSubmit()
  if (!server) return null
  const { invitesPaused } = server
  // SERVER_UPDATE changes the server.
  const toggle = () => api.call('updateServer', { id, body: { invitesPaused: !invitesPaused } })
  return (
    <Panel>
      <div className="line">
        <p className="grow" role="status">
          {invitesPaused ? t('server.invitesPaused') : t('server.invitesPauseHint')}
        </p>
        <button
          type="button"
          className="button secondary"
          disabled={busy}
          onClick={() => void submit(toggle)}
        >
          {invitesPaused ? t('server.invitesResume') : t('server.invitesPause')}
        </button>
      </div>
      <ErrorText text={problem} />
    </Panel>
  )
}

function InviteList({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const [inviting, setInviting] = useState(false)
  const { data: invites, error } = useQuery({
    queryKey: keys.invites(server.id),
    queryFn: ({ signal }) =>
      api.call('listInvites', { id: server.id, query: { limit: maxListLimit }, signal }),
    staleTime: 0,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: keys.invites(server.id) })
  const confirmRevoke = ({ code }: ServerInvite) =>
    confirm({
      title: t('server.inviteRevoke'),
      text: t('server.inviteRevokeConfirm', { code }),
      run: async () => {
        await api.call('revokeInvite', { code })
        // The cache of the dialog may contain this invite.
        queries.removeQueries({ queryKey: ['invite', server.id] })
        await refresh()
      },
    })
  const inviteButton = hasServerPermission(server, permissionFor.createInvite) && (
    <button type="button" className="button" onClick={() => setInviting(true)}>
      <Icon name="plus" />
      {t('server.invite')}
    </button>
  )
  return (
    <Panel hint={t('server.invitesHint')}>
      {invites && invites.length > 0 && inviteButton && <div className="line">{inviteButton}</div>}
      <ErrorText error={error} />
      {invites?.length === 0 && (
        <EmptyState icon="link" title={t('server.noInvites')} text={t('server.noInvitesHint')}>
          {inviteButton}
        </EmptyState>
      )}
      {!invites && !error && <span className="skeleton" style={{ blockSize: '70px' }} />}
      <ul className="rows">
        {invites?.toReversed().map(invite => (
          <InviteRow
            key={invite.code}
            serverId={server.id}
            invite={invite}
            onRevoke={() => confirmRevoke(invite)}
          />
        ))}
      </ul>
      {inviting && (
        <Suspense fallback={null}>
          <InviteDialog
            serverId={server.id}
            name={server.name}
            onClose={() => {
              setInviting(false)
              void refresh()
            }}
          />
        </Suspense>
      )}
    </Panel>
  )
}

interface InviteRowProps {
  serverId: string
  invite: ServerInvite
  onRevoke(): void
}

function InviteRow({ serverId, invite, onRevoke }: InviteRowProps) {
  const { t, dates } = useSettingsI18n()
  const { code, creator, uses, maxUses, expiresAt, channelId } = invite
  const channel = useChannels(serverId).data?.find(({ id }) => id === channelId)
  const [copied, setCopied] = useState(false)
  const details = [
    ...(channel ? [t('server.inviteChannel', { name: channel.name ?? '' })] : []),
    t('server.inviteBy', { name: userText(creator) }),
    maxUses === null
      ? t('server.inviteUsed', { count: uses })
      : t('server.inviteUsedOf', { uses, count: maxUses }),
    t('server.inviteUntil', { date: dates.full(expiresAt) }),
  ]
  return (
    <li className="row-card">
      <Avatar src={creator.avatar} name={creator.displayName} size={40} />
      <div className="grow">
        <strong>
          <code>{code}</code>
        </strong>
        <p className="hint">{details.join(' · ')}</p>
      </div>
      <div className="line">
        <button
          type="button"
          className="button secondary small"
          aria-label={`${t('server.inviteCopy')}: ${code}`}
          onClick={() => void copyText(`${location.origin}/invite/${code}`).then(setCopied)}
          onBlur={() => setCopied(false)}
        >
          <Icon name="copy" />
          <span aria-live="polite">{copied ? t('action.copied') : t('action.copy')}</span>
        </button>
        <button
          type="button"
          className="button secondary small"
          aria-label={`${t('server.inviteRevoke')}: ${code}`}
          onClick={onRevoke}
        >
          {t('action.revoke')}
        </button>
      </div>
    </li>
  )
}
