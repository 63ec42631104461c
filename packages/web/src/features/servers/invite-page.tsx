import type { InvitePreview } from '@gatehouse/protocol/servers'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, Navigate, useNavigate, useParams, useSearchParams } from 'react-router'
import { ApiError, createNonce } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useSelf, useServers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { justJoined } from '../../core/stores/last-channel.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { initials } from '../../ui/initials.ts'
import { useDocumentTitle } from '../../ui/use-document-title.ts'
import { userText } from '../../ui/user-name.tsx'
import { acceptedInvite, acceptedParameter } from './accepted-invite.ts'

/** The page of an invite link. The user joins only after a click, not by opening the link. */
export function InvitePage() {
  const t = useT()
  const { api, isSignedIn } = useClient()
  const { code = '' } = useParams()
  const { data, error, refetch } = useQuery({
    queryKey: keys.invitePreview(code),
    queryFn: ({ signal }) => api.call('getInvite', { code, signal }),
    staleTime: 0,
  })
  useDocumentTitle([data?.server.name ?? t('invite.title')])
  const View = isSignedIn() ? SignedInInvite : SignedOutInvite
  if (data) return <View preview={data} />
  const refusal = refusalOf(error)
  if (refusal) return <RefusedInvite reason={refusal} onRetry={() => void refetch()} />
  return (
    <main className="empty invite-page">
      {error ? <Icon name="warning" /> : <span className="server-icon skeleton" />}
      <p>{t('invite.title')}</p>
      <h1>{error ? t('app.failed') : t('app.loading')}</h1>
      {error && (
        <>
          <ErrorText error={error} />
          <div className="line">
            <button type="button" className="button" onClick={() => void refetch()}>
              {t('app.retry')}
            </button>
          </div>
        </>
      )}
    </main>
  )
}

/** The invite for a user who is not signed in. */
function SignedOutInvite({ preview }: { preview: InvitePreview }) {
  const t = useT()
  const [nonce] = useState(createNonce)
  const { code, mayRegister } = preview
  const path = `/invite/${code}`
  return (
    <Card preview={preview}>
      <p>{mayRegister ? t('invite.signIn') : t('invite.signInOnly')}</p>
      <div className="line">
        <a
          className={mayRegister ? 'button secondary' : 'button'}
          href={`/login${returnToQuery(`${path}?${acceptedParameter}=${nonce}`)}`}
          onClick={() => acceptedInvite.set(nonce)}
        >
          {t('invite.haveAccount')}
        </a>
        {mayRegister && (
          // The registration uses the invite.
          <a className="button" href={`/register${returnToQuery(path)}`}>
            {t('invite.register')}
          </a>
        )}
      </div>
    </Card>
  )
}

/** The invite for a user who is signed in. Redirects a member to the server. */
function SignedInInvite({ preview }: { preview: InvitePreview }) {
  const t = useT()
  const self = useSelf()
  const { api, queries } = useClient()
  const navigate = useNavigate()
  const { code, server } = preview
  const { mutate, reset, error, isPending, isIdle } = useMutation({
    mutationFn: () => api.call('acceptInvite', { code }),
    onSuccess: openServer,
    // The user joined in another tab.
    onError: problem => isConflict(problem) && openServer(),
  })
  async function openServer() {
    await queries.invalidateQueries({ queryKey: keys.servers })
    await navigate(`/channels/${server.id}`, { replace: true, state: justJoined })
  }
  const nonce = useSearchParams()[0].get(acceptedParameter)
  useEffect(() => {
    if (isIdle && acceptedInvite.take(nonce)) mutate()
  }, [isIdle, nonce, mutate])

  const isMember = useServers().some(({ id }) => id === server.id)
  if (isMember) return <Navigate replace to={`/channels/${server.id}`} state={justJoined} />
  const refusal = refusalOf(error)
  if (refusal) return <RefusedInvite reason={refusal} onRetry={reset} />
  return (
    <Card preview={preview}>
      {error && !isConflict(error) ? (
        <ErrorText error={error} />
      ) : (
        <p className="line">
          <Avatar src={self.avatar} name={self.displayName} size={28} />
          <span>{t('invite.as', { name: userText(self) })}</span>
        </p>
      )}
      <div className="line">
        <Link className="button secondary" to="/">
          {t('app.home')}
        </Link>
        <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
          {t('invite.accept')}
        </button>
      </div>
    </Card>
  )
}

function Card({
  preview: { server, memberCount },
  children,
}: {
  preview: InvitePreview
  children: ReactNode
}) {
  const t = useT()
  return (
    <main className="empty invite-page">
      <span className="server-icon" aria-hidden="true">
        {server.icon ? <img src={server.icon} alt="" /> : initials(server.name)}
      </span>
      <p>{t('invite.title')}</p>
      <h1>{server.name}</h1>
      <p>{t('member.count', { count: memberCount })}</p>
      {children}
    </main>
  )
}

/** Why the invite cannot be used. */
const refusals = {
  // The API does not distinguish unknown, expired and used-up invites.
  not_found: { title: 'invite.invalidTitle', text: 'invite.invalid' },
  invites_paused: { title: 'invite.pausedTitle', text: 'error.invitesPaused' },
  // Only the banned user learns it, after the click on Accept.
  banned: { title: 'invite.bannedTitle', text: 'error.banned' },
} as const

type Refusal = keyof typeof refusals

function refusalOf(error: unknown): Refusal | undefined {
  const code = error instanceof ApiError ? error.code : undefined
  return code === 'not_found' || code === 'invites_paused' || code === 'banned' ? code : undefined
}

function RefusedInvite({ reason, onRetry }: { reason: Refusal; onRetry(): void }) {
  const t = useT()
  const { title, text } = refusals[reason]
  const { isSignedIn } = useClient()
  return (
    <main className="empty invite-page">
      <Icon name="people" />
      <h1>{t(title)}</h1>
      <p className="hint" role="alert">
        {t(text)}
      </p>
      <div className="line">
        <a className="button secondary" href="/">
          {isSignedIn() ? t('app.home') : t('invite.haveAccount')}
        </a>
        {reason !== 'not_found' && (
          <button type="button" className="button" onClick={onRetry}>
            {t('app.retry')}
          </button>
        )}
      </div>
    </main>
  )
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'conflict'
}

function returnToQuery(path: string): string {
  return `?return_to=${encodeURIComponent(path)}`
}
