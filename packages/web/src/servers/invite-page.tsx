import type { InvitePreview, Server } from '@gatehouse/protocol/servers'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from 'react-router'
import { ApiError, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useSelf, useServers } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Avatar, initials } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { useDocumentTitle } from '../ui/use-document-title.ts'

/** What an invite link opens: joining takes a press, so that a link alone joins nobody to anything. */
export function InvitePage() {
  const t = useT()
  const self = useSelf()
  const { api } = useClient()
  const { code = '' } = useParams()
  useDocumentTitle(t('invite.title'))
  const queries = useQueryClient()
  const navigate = useNavigate()
  const preview = useQuery({
    queryKey: ['invites', code],
    queryFn: ({ signal }) => api.get<InvitePreview>(`/api/invites/${encodeURIComponent(code)}`, signal),
    staleTime: 0,
  })
  const join = useMutation({
    mutationFn: () => api.send<Server>('POST', `/api/invites/${encodeURIComponent(code)}`),
    onSuccess: async server => {
      await queries.invalidateQueries({ queryKey: keys.servers })
      await navigate(`/channels/${server.id}`, { replace: true })
    },
  })
  const server = preview.data?.server
  const known = useServers().some(({ id }) => id === server?.id)
  const problem = join.error ?? preview.error
  const gone = problem instanceof ApiError && problem.code === 'not_found'
  const already = known || (problem instanceof ApiError && problem.code === 'conflict')
  return (
    <main className="empty invite-page">
      {server ? (
        <ServerMark name={server.name} icon={server.icon} />
      ) : gone ? (
        <Icon name="people" />
      ) : (
        <span className="server-mark skeleton" />
      )}
      {!gone && <p>{t('invite.title')}</p>}
      <h1>{server?.name ?? (gone ? t('invite.goneTitle') : t('app.loading'))}</h1>
      {server && <p>{t('invite.members', { count: server.memberCount })}</p>}
      {problem ? (
        <p className={gone ? 'hint' : 'problem'} role="alert">
          {gone ? t('invite.gone') : already ? t('invite.already') : problemText(problem, t)}
        </p>
      ) : (
        <p className="line">
          <Avatar src={self.avatar} name={self.displayName} size={28} />
          <span>{already ? t('invite.already') : t('invite.as', { name: self.displayName })}</span>
        </p>
      )}
      <div className="line">
        <Link className="button soft" to="/">
          {t('app.home')}
        </Link>
        {already && server ? (
          <Link className="button" to={`/channels/${server.id}`}>
            {t('invite.open')}
          </Link>
        ) : (
          !gone && (
            <button
              type="button"
              className="button"
              disabled={!server || join.isPending}
              onClick={() => join.mutate()}
            >
              {t('invite.accept')}
            </button>
          )
        )}
      </div>
    </main>
  )
}

function ServerMark({ name, icon }: { name: string; icon: string | null }) {
  return (
    <span className="server-mark" aria-hidden="true">
      {icon ? <img src={icon} alt="" /> : initials(name)}
    </span>
  )
}
