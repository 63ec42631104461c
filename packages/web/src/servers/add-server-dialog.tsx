import { maxServerName } from '@gatehouse/protocol/limits'
import type { Server } from '@gatehouse/protocol/servers'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiError, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Field } from '../ui/field.tsx'
import { ModalDialog } from '../ui/modal.tsx'
import { inviteCode } from './invite-code.ts'

/** A new server, or one that exists by its invite. */
export function AddServerDialog({ onClose }: { onClose(): void }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [invite, setInvite] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<{ at: 'name' | 'invite'; text: string }>()

  async function enter(at: 'name' | 'invite', request: () => Promise<Server>) {
    setBusy(true)
    setProblem(undefined)
    try {
      const server = await request()
      await queries.invalidateQueries({ queryKey: keys.servers })
      onClose()
      await navigate(`/channels/${server.id}`)
    } catch (error) {
      const code = error instanceof ApiError ? error.code : undefined
      const text =
        at === 'invite' && code === 'not_found'
          ? t('invite.gone')
          : at === 'invite' && code === 'conflict'
            ? t('invite.already')
            : problemText(error, t)
      setProblem({ at, text })
    } finally {
      setBusy(false)
    }
  }

  const create = (event: FormEvent) => {
    event.preventDefault()
    void enter('name', () => api.send<Server>('POST', '/api/servers', { name }))
  }
  const join = (event: FormEvent) => {
    event.preventDefault()
    const code = inviteCode(invite)
    if (!code) return setProblem({ at: 'invite', text: t('invite.gone') })
    void enter('invite', () => api.send<Server>('POST', `/api/invites/${encodeURIComponent(code)}`))
  }

  return (
    <ModalDialog title={t('server.create')} onClose={onClose}>
      <p className="hint">{t('server.createHint')}</p>
      <form className="stack" onSubmit={create}>
        <Field
          label={t('server.name')}
          value={name}
          onChange={setName}
          required
          autoFocus
          maxLength={maxServerName}
          autoComplete="off"
          problem={problem?.at === 'name' ? problem.text : undefined}
        />
        <div className="line end">
          <button type="submit" className="button" disabled={busy || name.trim() === ''}>
            {t('action.create')}
          </button>
        </div>
      </form>
      <hr className="rule" />
      <h3 className="dialog-title">{t('server.join')}</h3>
      <form className="stack" onSubmit={join}>
        <Field
          label={t('server.inviteField')}
          value={invite}
          onChange={setInvite}
          required
          autoComplete="off"
          spellCheck={false}
          problem={problem?.at === 'invite' ? problem.text : undefined}
        />
        <div className="line end">
          <button type="button" className="button plain" onClick={onClose}>
            {t('action.cancel')}
          </button>
          <button type="submit" className="button soft" disabled={busy || invite.trim() === ''}>
            {t('server.joinAction')}
          </button>
        </div>
      </form>
    </ModalDialog>
  )
}
