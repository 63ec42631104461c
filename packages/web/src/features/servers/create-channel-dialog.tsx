import { maxChannelName, maxTopic } from '@gatehouse/protocol/limits'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

export function CreateChannelDialog({ serverId, onClose }: { serverId: string; onClose(): void }) {
  const t = useT()
  const { api, queries } = useClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [topic, setTopic] = useState('')
  const form = useSubmit()

  async function create() {
    const body = topic.trim() ? { name, topic } : { name }
    const channel = await api.call('createChannel', { id: serverId, body })
    await queries.invalidateQueries({ queryKey: keys.channels(serverId) })
    onClose()
    await navigate(`/channels/${serverId}/${channel.id}`)
  }

  return (
    <FormDialog
      title={t('server.createChannel')}
      form={{ ...form, problem: undefined }}
      action={t('action.create')}
      isComplete={name.trim() !== ''}
      onSubmit={create}
      onClose={onClose}
    >
      <Field
        label={t('channel.name')}
        value={name}
        onChange={setName}
        required
        autoFocus
        maxLength={maxChannelName}
        problem={form.problem}
      />
      <Field
        label={t('channel.topic')}
        hint={t('channel.topicHint')}
        value={topic}
        onChange={setTopic}
        maxLength={maxTopic}
      />
    </FormDialog>
  )
}
