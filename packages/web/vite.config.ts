import { locales } from '@gatehouse/protocol/locales'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './build/compressed.ts'
import { onlySupportedLanguages } from './build/only-supported-languages.ts'

/** Texts in a language other than English, and those of settings, are loaded when they are needed (src/core/i18n/). */
const otherLanguage = `(?:${locales.filter(locale => locale !== 'en').join('|')})\\.`

const server = process.env.GATEHOUSE_URL ?? 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [onlySupportedLanguages(), react(), compressed()],
  build: {
    // Written to .vite/license.md, for the package of the service (packages/server/build.ts).
    license: true,
    target: 'es2023',
    // The first versions with `light-dark()`, whose replacement does not read `<meta name="color-scheme">`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Inlined images would need `data:` in the content security policy, and files are cached forever.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Without this, a read of a property, as in `{ ...members }`, brings definitions of the protocol into the bundle.
      treeshake: { propertyReadSideEffects: false },
      output: {
        // Two chunks that every page needs: the client, and libraries, which change less often. A component that is
        // loaded when it is needed is in src/features/, because all of src/shell/ is in the client.
        codeSplitting: {
          groups: [
            {
              name: 'libraries',
              test: /node_modules\/(?:react|react-dom|scheduler|react-router|@tanstack)\//,
            },
            {
              name: 'client',
              test: new RegExp(
                `packages/(?:web/src/(?:core|shell)/(?!main|i18n/settings-|i18n/${otherLanguage})|` +
                  `(?:gateway-client|protocol)/src/(?!code-blocks|cap-texts-${otherLanguage}))`,
              ),
            },
          ],
        },
      },
      onLog(level, log, handle) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': { target: server, ws: true },
      '/login': server,
      '/language': server,
      '/register': server,
      '/images': server,
      '/media-proxy': server,
      '/avatars': server,
      '/icons': server,
      '/app-icons': server,
      '/embed': server,
      '/oauth2': server,
    },
  },
})
