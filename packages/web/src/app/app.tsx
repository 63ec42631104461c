import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense } from 'react'
import { BrowserRouter, Route, Routes, useLocation } from 'react-router'
import { ChannelPage } from '../chat/channel-page.tsx'
import { type I18n, I18nProvider, useT } from '../i18n/i18n.tsx'
import { ConfirmProvider } from '../ui/confirm.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { lazyPage } from '../ui/lazy-part.tsx'
import { ArrivalProvider } from './arrival.tsx'
import type { Client } from './client.ts'
import { ClientProvider } from './client-context.ts'
import { DirectHome, Home, ServerHome } from './homes.tsx'
import { NotFound } from './not-found.tsx'
import { ReloadPage } from './reload-page.tsx'
import { Shell } from './shell.tsx'
import { ShellSkeleton } from './shell-skeleton.tsx'

const InvitePage = lazyPage(() => import('../servers/invite-page.tsx').then(part => part.InvitePage))
const ServerSettings = lazyPage(() =>
  import('../settings/server-settings.tsx').then(part => part.ServerSettings),
)
const ChannelSettings = lazyPage(() =>
  import('../settings/channel-settings.tsx').then(part => part.ChannelSettings),
)
const UserSettings = lazyPage(() => import('../settings/user-settings.tsx').then(part => part.UserSettings))
const Console = lazyPage(() => import('../console/console.tsx').then(part => part.Console))

/** The whole client: what surrounds the pages, and which page stands at which address. */
export function App({ client, i18n }: { client: Client; i18n: I18n }) {
  return (
    <I18nProvider value={i18n}>
      <ClientProvider value={client}>
        <QueryClientProvider client={client.queries}>
          <BrowserRouter>
            <ArrivalProvider>
              <ConfirmProvider>
                <Pages />
              </ConfirmProvider>
            </ArrivalProvider>
          </BrowserRouter>
        </QueryClientProvider>
      </ClientProvider>
    </I18nProvider>
  )
}

function Pages() {
  const { pathname } = useLocation()
  return (
    <ErrorBoundary resetKey={pathname} fallback={() => <Crashed />}>
      <Suspense fallback={<ShellSkeleton />}>
        <Routes>
          <Route element={<Shell />}>
            <Route index element={<Home />} />
            <Route path="channels/@me" element={<DirectHome />} />
            <Route path="channels/@me/:channelId" element={<ChannelPage />} />
            <Route path="channels/:serverId" element={<ServerHome />} />
            <Route path="channels/:serverId/:channelId" element={<ChannelPage />} />
          </Route>
          <Route path="channels/:serverId/settings/:section?" element={<ServerSettings />} />
          <Route path="channels/:serverId/:channelId/settings/:section?" element={<ChannelSettings />} />
          <Route path="invite/:code" element={<InvitePage />} />
          <Route path="settings/:section?" element={<UserSettings />} />
          <Route path="developers/:applicationId?/:section?" element={<Console />} />
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </ErrorBoundary>
  )
}

function Crashed() {
  const t = useT()
  return <ReloadPage title={t('app.crashed')} />
}
