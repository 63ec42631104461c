import type { Server } from '@gatehouse/protocol/servers'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from 'react-router'
import { ApiError, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useSelf } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
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
  const join = useMutation({
    mutationFn: () => api.send<Server>('POST', `/api/invites/${encodeURIComponent(code)}`),
    onSuccess: async server => {
      await queries.invalidateQueries({ queryKey: keys.servers })
      await navigate(`/channels/${server.id}`, { replace: true })
    },
  })
  const gone = join.error instanceof ApiError && join.error.code === 'not_found'
  const already = join.error instanceof ApiError && join.error.code === 'conflict'
  return (
    <main className="empty invite-page">
      <Icon name="people" />
      <h1>{t('invite.title')}</h1>
      <p>{t('invite.hint')}</p>
      <p className="line">
        <Avatar src={self.avatar} name={self.displayName} size={28} />
        <span>{self.displayName}</span>
      </p>
      {join.error && (
        <p className="problem" role="alert">
          {gone ? t('invite.gone') : already ? t('invite.already') : problemText(join.error, t)}
        </p>
      )}
      <div className="line">
        <Link className="button soft" to="/">
          {t('app.home')}
        </Link>
        {!gone && !already && (
          <button type="button" className="button" disabled={join.isPending} onClick={() => join.mutate()}>
            {t('invite.accept')}
          </button>
        )}
      </div>
    </main>
  )
}
