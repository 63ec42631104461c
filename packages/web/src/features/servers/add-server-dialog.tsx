import { maxServerName } from '@gatehouse/protocol/limits'
import type { Server } from '@gatehouse/protocol/servers'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiError, problemText } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { shownInstance } from '../../core/instance.ts'
import { parseInviteCode } from '../../core/servers/invite-code.ts'
import { justJoined } from '../../core/stores/last-channel.ts'
import { Field } from '../../ui/field.tsx'
import { ModalDialog } from '../../ui/modal.tsx'

/** Creates a server, or joins one with an invite. */
export function AddServerDialog({ onClose }: { onClose(): void }) {
  const t = useT()
  const { api, queries } = useClient()
  const navigate = useNavigate()
  const { administrator } = useSelf()
  const mayCreate = administrator || !shownInstance().onlyAdministratorsCreateServers
  const [name, setName] = useState('')
  const [invite, setInvite] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<{ field: 'name' | 'invite'; text: string }>()

  async function submit(field: 'name' | 'invite', request: () => Promise<Server>) {
    setBusy(true)
    setProblem(undefined)
    try {
      const server = await request()
      await queries.invalidateQueries({ queryKey: keys.servers })
      onClose()
      await navigate(`/channels/${server.id}`, { state: justJoined })
    } catch (error) {
      const code = error instanceof ApiError ? error.code : undefined
      const text =
        field === 'invite' && code === 'not_found'
          ? t('invite.invalid')
          : field === 'invite' && code === 'conflict'
            ? t('invite.already')
            : problemText(error, t)
      setProblem({ field, text })
    } finally {
      setBusy(false)
    }
  }

  const create = (event: FormEvent) => {
    event.preventDefault()
    void submit('name', () => api.call('createServer', { body: { name } }))
  }
  const join = (event: FormEvent) => {
    event.preventDefault()
    const code = parseInviteCode(invite)
    if (!code) return setProblem({ field: 'invite', text: t('invite.invalid') })
    void submit('invite', () => api.call('acceptInvite', { code }))
  }

  return (
    <ModalDialog title={t(mayCreate ? 'server.create' : 'server.join')} onClose={onClose}>
      {mayCreate && (
        <>
          <p className="hint">{t('server.createHint')}</p>
          <form className="stack" onSubmit={create}>
            <Field
              label={t('server.name')}
              value={name}
              onChange={setName}
              required
              autoFocus
              maxLength={maxServerName}
              problem={problem?.field === 'name' ? problem.text : undefined}
            />
            <div className="line end">
              <button type="submit" className="button" disabled={busy || name.trim() === ''}>
                {t('action.create')}
              </button>
            </div>
          </form>
          <hr className="rule" />
          <h3 className="dialog-title">{t('server.join')}</h3>
        </>
      )}
      <form className="stack" onSubmit={join}>
        <Field
          label={t('server.inviteField')}
          value={invite}
          onChange={setInvite}
          required
          spellCheck={false}
          autoFocus={!mayCreate}
          problem={problem?.field === 'invite' ? problem.text : undefined}
        />
        <div className="line end">
          <button type="button" className="button plain" onClick={onClose}>
            {t('action.cancel')}
          </button>
          <button type="submit" className="button secondary" disabled={busy || invite.trim() === ''}>
            {t('server.joinAction')}
          </button>
        </div>
      </form>
    </ModalDialog>
  )
}
