import { useParams } from 'react-router'
import { useT } from '../i18n/i18n.tsx'
import { Profile } from './profile.tsx'
import { Security } from './security.tsx'
import { SettingsPage } from './settings-page.tsx'

export function UserSettings() {
  const t = useT()
  const { section } = useParams()
  return (
    <SettingsPage
      title={t('settings.title')}
      base="/settings"
      back="/"
      current={section}
      sections={[
        { id: 'profile', label: t('settings.profile'), icon: 'user', render: () => <Profile /> },
        { id: 'security', label: t('settings.security'), icon: 'lock', render: () => <Security /> },
      ]}
    />
  )
}
