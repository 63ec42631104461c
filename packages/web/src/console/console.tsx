import type { Application } from '@gatehouse/protocol/applications'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { NotFound } from '../app/not-found.tsx'
import { ShellSkeleton } from '../app/shell-skeleton.tsx'
import { useT } from '../i18n/i18n.tsx'
import { SettingsPage } from '../settings/settings-page.tsx'
import { Applications } from './applications.tsx'
import { BotSection } from './bot-section.tsx'
import { Commands } from './commands.tsx'
import { General } from './general.tsx'
import { Interactions } from './interactions.tsx'
import { SignIn } from './sign-in.tsx'
import { TryIt } from './try-it.tsx'

/** The developer console: one's applications, or one of them. */
export function Console() {
  const t = useT()
  const { applicationId, section } = useParams()
  if (applicationId) return <OneApplication key={applicationId} id={applicationId} section={section} />
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

function OneApplication({ id, section }: { id: string; section: string | undefined }) {
  const t = useT()
  const { api } = useClient()
  const { data: application, isPending } = useQuery({
    queryKey: keys.application(id),
    queryFn: ({ signal }) => api.get<Application>(`/api/applications/${id}`, signal),
  })
  if (isPending) return <ShellSkeleton />
  if (!application) return <NotFound />
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
