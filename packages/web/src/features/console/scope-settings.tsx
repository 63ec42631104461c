import { type Application, settingScopes } from '@gatehouse/protocol/applications'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { CheckField } from '../../ui/check-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useEditForm } from '../../ui/use-submit.ts'
import { offeredScopes } from './authorization-url.ts'
import { useSaveApplication } from './save-application.ts'
import { ScopeChecks } from './scope-checks.tsx'

/** The scopes that an application has without requesting them, and whether the user can deselect `email`. */
export function ScopeSettings({ application }: { application: Application }) {
  const t = useSettingsT()
  const save = useSaveApplication(application)
  const form = useEditForm<Partial<Record<string, boolean>>>({
    emailRequired: application.emailRequired,
    emailVerifiedOnly: application.emailVerifiedOnly,
    ...Object.fromEntries(
      settingScopes.flatMap(scope => [
        [`default ${scope}`, application.defaultScopes.includes(scope)],
        [`added ${scope}`, application.addedScopes.includes(scope)],
      ]),
    ),
  })
  const { fields, edit } = form
  const offered = offeredScopes(application)
  const lists = [
    { name: 'default', label: t('console.defaultScopes'), scopes: offered },
    // The form of the groups adds `groups`.
    { name: 'added', label: t('console.addedScopes'), scopes: offered.filter(scope => scope !== 'groups') },
  ]

  return (
    <Panel title={t('console.scopes')} hint={t('console.scopesHint')}>
      <SettingsForm
        form={form}
        onSave={() =>
          save({
            emailRequired: fields.emailRequired,
            emailVerifiedOnly: fields.emailVerifiedOnly,
            defaultScopes: settingScopes.filter(scope => fields[`default ${scope}`]),
            addedScopes: settingScopes.filter(scope => fields[`added ${scope}`]),
          })
        }
      >
        <CheckField
          label={t('console.emailRequired')}
          hint={t('console.emailRequiredHint')}
          checked={fields.emailRequired === true}
          onChange={emailRequired => edit({ emailRequired })}
        />
        {fields.emailRequired && (
          <CheckField
            label={t('console.emailVerifiedOnly')}
            hint={t('console.emailVerifiedOnlyHint')}
            checked={fields.emailVerifiedOnly === true}
            onChange={emailVerifiedOnly => edit({ emailVerifiedOnly })}
          />
        )}
        {lists.map(({ name, label, scopes }) => (
          <ScopeChecks
            key={name}
            label={label}
            scopes={scopes}
            isSelected={scope => fields[`${name} ${scope}`] === true}
            onToggle={scope => edit({ [`${name} ${scope}`]: !fields[`${name} ${scope}`] })}
            hint={name === 'default' && !offered.includes('groups') && t('console.groupsHint')}
          />
        ))}
      </SettingsForm>
    </Panel>
  )
}
