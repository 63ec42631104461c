import { type InstanceSettings, registrationModes, serverCreators } from '@gatehouse/protocol/administration'
import { maxInstanceName } from '@gatehouse/protocol/limits'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { showInstance } from '../../core/instance.ts'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field } from '../../ui/field.tsx'
import { ImageField } from '../../ui/image-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useEditForm } from '../../ui/use-submit.ts'
import { useIdentityConfirmation } from '../identity/index.ts'

/** The name and logo of the community, and who may register and create servers. */
export function Settings() {
  const { api } = useClient()
  const { data, error } = useQuery({
    queryKey: keys.instanceSettings,
    queryFn: ({ signal }) => api.call('getInstanceSettings', { signal }),
    staleTime: 0,
  })
  if (!data) return error ? <ErrorText error={error} /> : <span className="skeleton skeleton-row" />
  return (
    <>
      <Logo settings={data} />
      <Form settings={data} />
    </>
  )
}

interface SettingsProps {
  settings: InstanceSettings
}

function useStore(): (request: Promise<InstanceSettings>) => Promise<void> {
  const { queries } = useClient()
  return async request => {
    const settings = await request
    queries.setQueryData(keys.instanceSettings, settings)
    showInstance(settings)
  }
}

function Logo({ settings: { logo, name } }: SettingsProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const store = useStore()
  return (
    <ImageField
      title={t('admin.logo')}
      src={logo}
      name={name}
      onChoose={file => store(api.call('setInstanceLogo', { body: file }))}
      {...(logo === null ? {} : { onRemove: () => store(api.call('deleteInstanceLogo')) })}
    />
  )
}

function Form({ settings: { logo: _, ...settings } }: SettingsProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const store = useStore()
  const confirmIdentity = useIdentityConfirmation()
  const form = useEditForm(settings, { name: { max: maxInstanceName } })
  const save = () =>
    confirmIdentity(proof =>
      store(api.call('updateInstanceSettings', { body: { ...form.changes, ...proof } })),
    )
  return (
    <Panel>
      <SettingsForm form={form} onSave={save}>
        <Field label={t('admin.name')} hint={t('admin.nameHint')} {...form.field('name')} required />
        <SelectField
          label={t('admin.registration')}
          value={form.fields.registration}
          options={registrationModes.map(value => ({ value, text: t(`admin.registration.${value}`) }))}
          onChange={chosen => {
            const registration = registrationModes.find(value => value === chosen)
            if (registration) form.edit({ registration })
          }}
        />
        <SelectField
          label={t('admin.serverCreation')}
          value={form.fields.serverCreation}
          options={serverCreators.map(value => ({ value, text: t(`admin.serverCreation.${value}`) }))}
          onChange={chosen => {
            const serverCreation = serverCreators.find(value => value === chosen)
            if (serverCreation) form.edit({ serverCreation })
          }}
        />
      </SettingsForm>
    </Panel>
  )
}
