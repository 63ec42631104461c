import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense } from 'react'
import { BrowserRouter, Route, Routes, useLocation } from 'react-router'
import type { Client } from '../core/client.ts'
import { ClientProvider, useClient } from '../core/client-context.ts'
import { type I18n, I18nProvider, useT } from '../core/i18n/i18n.tsx'
import { Administration } from '../features/administration/index.ts'
import { ChannelPage } from '../features/chat/index.ts'
import { BotModals } from '../features/commands/index.ts'
import { Console } from '../features/console/index.ts'
import { InvitePage } from '../features/servers/index.ts'
import { ChannelSettings, ServerSettings, UserSettings } from '../features/settings/index.ts'
import { ConfirmProvider } from '../ui/confirm.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { FocusTrackerProvider } from '../ui/focus-tracker.tsx'
import { NotFound } from '../ui/not-found.tsx'
import { ReloadPage } from '../ui/reload-page.tsx'
import { DirectMessagesIndex, RedirectToServer, ServerIndex } from './index-routes.tsx'
import { RemovedServers } from './removed-servers.tsx'
import { Shell } from './shell.tsx'
import { ShellSkeleton } from './shell-skeleton.tsx'

/** The context providers and the routes. */
export function App({ client, i18n }: { client: Client; i18n: I18n }) {
  return (
    <I18nProvider initial={i18n}>
      <ClientProvider value={client}>
        <QueryClientProvider client={client.queries}>
          <BrowserRouter>
            <FocusTrackerProvider>
              <ConfirmProvider>
                <Pages />
              </ConfirmProvider>
            </FocusTrackerProvider>
          </BrowserRouter>
        </QueryClientProvider>
      </ClientProvider>
    </I18nProvider>
  )
}

function Pages() {
  const client = useClient()
  const { pathname } = useLocation()
  return (
    <ErrorBoundary resetKey={pathname} fallback={() => <Crashed />}>
      <Suspense fallback={<ShellSkeleton />}>
        {client.isSignedIn() && <RemovedServers />}
        {client.isSignedIn() && <BotModals />}
        <Routes>
          <Route element={<Shell />}>
            <Route index element={<RedirectToServer />} />
            <Route path="channels/@me" element={<DirectMessagesIndex />} />
            <Route path="channels/@me/:channelId" element={<ChannelPage />} />
            <Route path="channels/:serverId" element={<ServerIndex />} />
            <Route path="channels/:serverId/:channelId" element={<ChannelPage />} />
          </Route>
          <Route path="channels/:serverId/settings/:section?" element={<ServerSettings />} />
          <Route
            path="channels/:serverId/:channelId/settings/:section?"
            element={<ChannelSettings loading={<ShellSkeleton />} />}
          />
          <Route path="invite/:code" element={<InvitePage />} />
          <Route path="settings/:section?" element={<UserSettings />} />
          <Route path="administration/:section?/:userId?" element={<Administration />} />
          <Route
            path="developers/:applicationId?/:section?"
            element={<Console loading={<ShellSkeleton />} />}
          />
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
