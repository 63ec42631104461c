import type { Application } from '@gatehouse/protocol/applications'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { isMissing } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { NotFound } from '../../ui/not-found.tsx'
import { SettingsPage } from '../../ui/settings-page.tsx'
import { Applications } from './applications.tsx'
import { BotSection } from './bot-section.tsx'
import { Commands } from './commands.tsx'
import { General } from './general.tsx'
import { Interactions } from './interactions.tsx'
import { SignIn } from './sign-in.tsx'
import { TryIt } from './try-it.tsx'

interface ConsoleProps {
  /** Shown while the application is loading. */
  loading: ReactNode
}

/** The developer console: the list of the user's applications, or the settings of one. */
export function Console({ loading }: ConsoleProps) {
  const t = useT()
  const { applicationId, section } = useParams()
  if (applicationId) {
    return <ApplicationSettings key={applicationId} id={applicationId} section={section} loading={loading} />
  }
  return (
    <SettingsPage
      title={t('nav.developers')}
      base="/developers"
      back="/"
      current="applications"
      sections={[
        { id: 'applications', label: t('console.title'), icon: 'code', render: () => <Applications /> },
      ]}
    />
  )
}

interface ApplicationSettingsProps extends ConsoleProps {
  id: string
  section: string | undefined
}

function ApplicationSettings({ id, section, loading }: ApplicationSettingsProps) {
  const t = useT()
  const { api } = useClient()
  const {
    data: application,
    isPending,
    error,
    refetch,
  } = useQuery({
    queryKey: keys.application(id),
    queryFn: ({ signal }) => api.get<Application>(`/api/applications/${id}`, signal),
  })
  if (isPending) return loading
  if (isMissing(error)) return <NotFound />
  if (!application) return <LoadFailed error={error} onRetry={() => void refetch()} />
  return (
    <SettingsPage
      title={application.name}
      base={`/developers/${id}`}
      back="/developers"
      current={section}
      sections={[
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
          render: () => <SignIn application={application} />,
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
          render: () => <Interactions applicationId={id} />,
        },
      ]}
    />
  )
}
