import { maxServerName } from '@gatehouse/protocol/limits'
import {
  type Server,
  type UserServer,
  type VerificationLevel,
  verificationLevels,
} from '@gatehouse/protocol/servers'
import { useNavigate } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useServer } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field } from '../../ui/field.tsx'
import { ImageField } from '../../ui/image-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useEditForm, useSubmit } from '../../ui/use-submit.ts'
import { BoundApplications } from './bound-applications.tsx'
import { ServerTransfer } from './server-transfer.tsx'

/** The icon, the name and the verification level of a server, its transfer and its deletion. */
export function ServerOverview({ server }: { server: UserServer }) {
  return (
    <>
      <ServerIcon server={server} />
      <ServerName server={server} />
      <Verification server={server} />
      {server.owner && <BoundApplications server={server} />}
      {server.owner && <ServerTransfer server={server} />}
      {server.owner && <DeleteServer server={server} />}
    </>
  )
}

function ServerIcon({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const { id } = server
  const updateIcon = async (request: Promise<Server>) => {
    const { icon } = await request
    queries.setQueryData<UserServer[]>(keys.servers, list =>
      list?.map(other => (other.id === server.id ? { ...other, icon } : other)),
    )
  }
  return (
    <ImageField
      title={t('server.icon')}
      src={server.icon}
      name={server.name}
      onChoose={file => updateIcon(api.call('setServerIcon', { id, body: file }))}
      {...(server.icon === null ? {} : { onRemove: () => updateIcon(api.call('deleteServerIcon', { id })) })}
    />
  )
}

function ServerName({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const form = useEditForm({ name: server.name })
  async function save() {
    await api.call('updateServer', { id: server.id, body: form.changes })
    await queries.invalidateQueries({ queryKey: keys.servers })
  }
  return (
    <SettingsForm form={form} onSave={save}>
      <Field label={t('server.name')} {...form.field('name')} required maxLength={maxServerName} />
    </SettingsForm>
  )
}

function Verification({ server: { id } }: { server: UserServer }) {
  const t = useSettingsT()
  const { api } = useClient()
  const { data: server } = useServer(id)
  const { problem, submit } = useSubmit()
  // SERVER_UPDATE changes the server.
  const save = (verificationLevel: VerificationLevel) =>
    void submit(() => api.call('updateServer', { id, body: { verificationLevel } }))
  return (
    <Panel hint={t('server.verificationHint')}>
      <SelectField
        label={t('server.verification')}
        value={server?.verificationLevel ?? 'none'}
        options={verificationLevels.map(value => ({ value, text: t(`server.verification.${value}`) }))}
        onChange={value => save(verificationLevels.find(level => level === value) ?? 'none')}
      />
      <ErrorText text={problem} />
    </Panel>
  )
}

function DeleteServer({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { api, leavingServers, queries } = useClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const { forget } = useUnsaved()
  const confirmDelete = () =>
    confirm({
      title: t('server.delete'),
      text: t('server.deleteConfirm', { name: server.name }),
      run: async () => {
        leavingServers.add(server.id)
        try {
          await api.call('deleteServer', { id: server.id })
        } catch (error) {
          leavingServers.delete(server.id)
          throw error
        }
        forget()
        await queries.invalidateQueries({ queryKey: keys.servers })
        await navigate('/')
      },
    })
  return (
    <Panel>
      <div className="line">
        <button type="button" className="button danger" onClick={confirmDelete}>
          {t('server.delete')}
        </button>
      </div>
    </Panel>
  )
}
