import type { CreatedApplication } from '@gatehouse/protocol/applications'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { isMissing } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { NotFound } from '../../ui/not-found.tsx'
import { type Section, SettingsPage } from '../../ui/settings-page.tsx'
import { Applications } from './applications.tsx'
import { BotSection } from './bot-section.tsx'
import { Commands } from './commands.tsx'
import { General } from './general.tsx'
import { Interactions } from './interactions.tsx'
import { SignIn } from './sign-in.tsx'
import { SignInFailures } from './sign-in-failures.tsx'
import { TryIt } from './try-it.tsx'

interface ConsoleProps {
  /** Shown while the application is loading. */
  loading: ReactNode
}

/** The developer console: the list of the user's applications, or the settings of one. */
export const Console = withSettingsTexts(function Console({ loading }: ConsoleProps) {
  const t = useSettingsT()
  const { applicationId, section } = useParams()
  const navigate = useNavigate()
  // Until the tab with the credentials shows its secret. Only in memory, so that a reload does not show it again.
  const [created, setCreated] = useState<CreatedApplication>()
  if (applicationId) {
    return (
      <ApplicationSettings
        key={applicationId}
        id={applicationId}
        section={section}
        loading={loading}
        newSecret={created?.id === applicationId ? created.clientSecret : undefined}
        onSecretShown={() => setCreated(undefined)}
      />
    )
  }
  function showCredentials(application: CreatedApplication) {
    setCreated(application)
    void navigate(`/developers/${application.id}/sign-in`)
  }
  return (
    <SettingsPage
      title={t('nav.developers')}
      base="/developers"
      back="/"
      current="applications"
      sections={[
        {
          id: 'applications',
          label: t('console.title'),
          icon: 'code',
          render: () => <Applications onCreated={showCredentials} />,
        },
      ]}
    />
  )
})

interface ApplicationSettingsProps extends ConsoleProps {
  id: string
  section: string | undefined
  newSecret: string | undefined
  onSecretShown(): void
}

function ApplicationSettings({ id, section, loading, newSecret, onSecretShown }: ApplicationSettingsProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const {
    data: application,
    isPending,
    error,
    refetch,
  } = useQuery({
    queryKey: keys.application(id),
    queryFn: ({ signal }) => api.call('getApplication', { id, signal }),
  })
  if (isPending) return loading
  if (isMissing(error)) return <NotFound />
  if (!application) return <LoadFailed error={error} onRetry={() => void refetch()} />
  const sections: Section[] = [
    {
      id: 'general',
      label: t('console.general'),
      icon: 'settings',
      render: () => <General application={application} />,
    },
    {
      id: 'sign-in',
      label: t('console.signIn'),
      icon: 'enter',
      render: () => <SignIn application={application} newSecret={newSecret} onSecretShown={onSecretShown} />,
    },
    {
      id: 'sign-in-failures',
      label: t('console.failures'),
      icon: 'flag',
      render: () => <SignInFailures applicationId={id} />,
    },
    {
      id: 'bot',
      label: t('console.bot'),
      icon: 'bot',
      render: () => <BotSection application={application} />,
    },
    {
      id: 'commands',
      label: t('console.commands'),
      icon: 'slash',
      render: () => <Commands application={application} />,
    },
    {
      id: 'try',
      label: t('try.title'),
      icon: 'send',
      render: () => <TryIt application={application} />,
    },
    {
      id: 'interactions',
      label: t('console.interactions'),
      icon: 'clock',
      render: () => <Interactions application={application} />,
    },
  ]
  if (section !== undefined && !sections.some(each => each.id === section)) return <NotFound />
  return (
    <SettingsPage
      title={application.name}
      base={`/developers/${id}`}
      back="/developers"
      current={section}
      sections={sections}
    />
  )
}
