import { maxChannelName, maxTopic } from '@gatehouse/protocol/limits'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemText } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { ModalDialog } from '../../ui/modal.tsx'

export function CreateChannelDialog({ serverId, onClose }: { serverId: string; onClose(): void }) {
  const t = useT()
  const { api, queries } = useClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [topic, setTopic] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function create(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    try {
      const body = topic.trim() ? { name, topic } : { name }
      const channel = await api.call('createChannel', { id: serverId, body })
      await queries.invalidateQueries({ queryKey: keys.channels(serverId) })
      onClose()
      await navigate(`/channels/${serverId}/${channel.id}`)
    } catch (error) {
      setProblem(problemText(error, t))
      setBusy(false)
    }
  }

  return (
    <ModalDialog title={t('server.createChannel')} onClose={onClose}>
      <form className="stack" onSubmit={event => void create(event)}>
        <Field
          label={t('channel.name')}
          value={name}
          onChange={setName}
          required
          autoFocus
          maxLength={maxChannelName}
          problem={problem}
        />
        <Field
          label={t('channel.topic')}
          hint={t('channel.topicHint')}
          value={topic}
          onChange={setTopic}
          maxLength={maxTopic}
        />
        <div className="line end">
          <button type="button" className="button plain" onClick={onClose}>
            {t('action.cancel')}
          </button>
          <button type="submit" className="button" disabled={busy || name.trim() === ''}>
            {t('action.create')}
          </button>
        </div>
      </form>
    </ModalDialog>
  )
}
