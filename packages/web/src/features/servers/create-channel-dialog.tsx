import type { CreateChannelBody, PrivateChannel } from '@gatehouse/protocol/channels'
import { maxAdmitted, maxChannelName, maxTopic } from '@gatehouse/protocol/limits'
import { sortRoles } from '@gatehouse/protocol/role-order'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useChannels, useRoles, useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { isCategory } from '../../core/servers/channel-order.ts'
import { memberName } from '../../core/servers/members.ts'
import { searchMembers } from '../../core/servers/search-members.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { AddTarget } from '../../ui/add-target.tsx'
import { CheckField } from '../../ui/check-field.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

interface CreateChannelDialogProps {
  serverId: string
  type: 'text' | 'category'
  /** The id of the category that is selected at first; empty for none. */
  parentId: string
  onClose(): void
}

export const CreateChannelDialog = withSettingsTexts(function CreateChannelDialog({
  serverId,
  type,
  onClose,
  ...props
}: CreateChannelDialogProps) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [topic, setTopic] = useState('')
  const [parentId, setParentId] = useState(props.parentId)
  const { data: channels = [] } = useChannels(serverId)
  const categories = type === 'text' ? channels.filter(isCategory) : []
  const [isPrivate, setPrivate] = useState(false)
  const [admitted, setAdmitted] = useState<PrivateChannel>({ roles: [], members: [] })
  const form = useSubmit()

  async function create() {
    const body: CreateChannelBody = {
      name,
      type,
      ...(parentId ? { parentId } : {}),
      ...(topic.trim() ? { topic } : {}),
      ...(isPrivate ? { private: admitted } : {}),
    }
    const channel = await api.call('createChannel', { id: serverId, body })
    await queries.invalidateQueries({ queryKey: keys.channels(serverId) })
    onClose()
    if (type === 'text') await navigate(`/channels/${serverId}/${channel.id}`)
  }

  return (
    <FormDialog
      title={t(type === 'category' ? 'server.createCategory' : 'server.createChannel')}
      form={{ ...form, problem: undefined }}
      action={t('action.create')}
      isComplete={name.trim() !== ''}
      onSubmit={create}
      onClose={onClose}
    >
      <Field
        label={t(type === 'category' ? 'category.name' : 'channel.name')}
        value={name}
        onChange={setName}
        required
        autoFocus
        maxLength={maxChannelName}
        problem={form.problem}
      />
      {type === 'text' && (
        <Field
          label={t('channel.topic')}
          hint={t('channel.topicHint')}
          value={topic}
          onChange={setTopic}
          maxLength={maxTopic}
        />
      )}
      {categories.length > 0 && (
        <SelectField
          label={t('category.one')}
          value={parentId}
          options={[
            { value: '', text: t('category.none') },
            ...categories.map(({ id, name }) => ({ value: id, text: name ?? '' })),
          ]}
          onChange={setParentId}
        />
      )}
      <CheckField
        label={t(type === 'category' ? 'category.makePrivate' : 'channel.makePrivate')}
        hint={t('channel.makePrivateHint')}
        checked={isPrivate}
        onChange={setPrivate}
      />
      {isPrivate && <Admitted serverId={serverId} admitted={admitted} onChange={setAdmitted} />}
    </FormDialog>
  )
})

interface AdmittedProps {
  serverId: string
  admitted: PrivateChannel
  onChange(admitted: PrivateChannel): void
}

/** The roles and members who can view the private channel. */
function Admitted({ serverId, admitted, onChange }: AdmittedProps) {
  const t = useSettingsT()
  const self = useSelf()
  const { data: roles = [] } = useRoles(serverId)
  const { members, more } = useAllMembers(serverId, admitted.members)
  const options = {
    roles: sortRoles(roles).filter(({ id }) => id !== serverId),
    members: searchMembers(members, '')
      .filter(({ user }) => user.id !== self.id)
      .map(member => ({ id: member.user.id, name: memberName(member), detail: member.user.username })),
  }
  const chosen = [...admitted.roles, ...admitted.members]
  const isOpen = ({ id }: { id: string }) => !chosen.includes(id)
  const remove = (removed: string) =>
    onChange({
      roles: admitted.roles.filter(id => id !== removed),
      members: admitted.members.filter(id => id !== removed),
    })
  return (
    <>
      <AddTarget
        label={t('overwrite.for')}
        groups={[
          {
            label: t('member.roles'),
            options: admitted.roles.length < maxAdmitted ? options.roles.filter(isOpen) : [],
          },
          {
            label: t('nav.members'),
            options: admitted.members.length < maxAdmitted ? options.members.filter(isOpen) : [],
          },
        ]}
        more={more}
        onAdd={id =>
          roles.some(role => role.id === id)
            ? onChange({ ...admitted, roles: [...admitted.roles, id] })
            : onChange({ ...admitted, members: [...admitted.members, id] })
        }
      />
      {chosen.length > 0 && (
        <ul className="rows">
          {[...options.roles, ...options.members]
            .filter(option => !isOpen(option))
            .map(({ id, name }) => (
              <li key={id} className="row-card">
                <strong className="grow">{name}</strong>
                <button
                  type="button"
                  className="button secondary small"
                  aria-label={`${t('action.remove')}: ${name}`}
                  onClick={() => remove(id)}
                >
                  {t('action.remove')}
                </button>
              </li>
            ))}
        </ul>
      )}
    </>
  )
}
