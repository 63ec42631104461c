import { useParams } from 'react-router'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { SettingsPage } from '../../ui/settings-page.tsx'
import { Appearance } from './appearance.tsx'
import { Language } from './language.tsx'
import { Privacy } from './privacy.tsx'
import { Profile } from './profile.tsx'
import { Security } from './security.tsx'

export const UserSettings = withSettingsTexts(function UserSettings() {
  const t = useSettingsT()
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
        { id: 'privacy', label: t('settings.privacy'), icon: 'eye', render: () => <Privacy /> },
        { id: 'appearance', label: t('settings.appearance'), icon: 'sun', render: () => <Appearance /> },
        { id: 'language', label: t('settings.language'), icon: 'globe', render: () => <Language /> },
      ]}
    />
  )
})
