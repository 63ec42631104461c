// In this order, because later rules override earlier ones.
import '../ui/tokens.css'
import '../ui/base.css'
import '../ui/suggestions.css'

import { isLocale } from '@gatehouse/protocol/locales'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '../core/client.ts'
import { ClientProvider } from '../core/client-context.ts'
import { I18nProvider, loadI18n } from '../core/i18n/i18n.tsx'
import { chooseLanguage } from '../core/i18n/translate.ts'
import { isSecure, readPreference } from '../core/preferences.ts'
import { loadMarkdown } from '../features/chat/index.ts'
import { ignoreInputMethodKeys } from '../ui/input-method.ts'
import { App } from './app.tsx'
import { ShellSkeleton } from './shell-skeleton.tsx'

ignoreInputMethodKeys()
const client = createClient({ loadMarkdown })
// The first requests run while the locale texts load.
const started = client.start()
const chosen = readPreference('locale', document.cookie, isSecure())
const language = isLocale(chosen) ? chosen : chooseLanguage(navigator.languages)

const i18n = await loadI18n(language)
const element = document.getElementById('root')
if (element) {
  const root = createRoot(element)
  root.render(
    <I18nProvider initial={i18n}>
      <ClientProvider value={client}>
        <ShellSkeleton />
      </ClientProvider>
    </I18nProvider>,
  )
  if (await started) {
    root.render(
      <StrictMode>
        <App client={client} i18n={i18n} />
      </StrictMode>,
    )
  }
}
