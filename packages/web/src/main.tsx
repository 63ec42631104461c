// The layers of style: what comes first gives way.
import './ui/tokens.css'
import './ui/base.css'
import './ui/suggestions.css'

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { createClient } from './app/client.ts'
import { loadI18n } from './i18n/i18n.tsx'
import { chooseLanguage } from './i18n/translate.ts'

const client = createClient({
  loadMarkdown: () => import('./chat/markdown.tsx').then(part => part.Markdown),
})
const language = chooseLanguage(navigator.languages)
document.documentElement.lang = language
// Dates follow the region that the browser names for that language: en-GB writes other dates than en-US.
const locale = navigator.languages.find(name => name.toLowerCase().startsWith(language)) ?? language

const [i18n, signedIn] = await Promise.all([loadI18n(language, locale), client.start()])
const root = document.getElementById('root')
if (root && signedIn) {
  createRoot(root).render(
    <StrictMode>
      <App client={client} i18n={i18n} />
    </StrictMode>,
  )
}
