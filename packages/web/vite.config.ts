import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './build/compressed.ts'
import { onlySpokenLanguages } from './build/only-spoken-languages.ts'

const server = process.env.GATEHOUSE_URL ?? 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [onlySpokenLanguages(), react(), compressed()],
  build: {
    target: 'es2023',
    // Inlined pictures would need `data:` wherever they are used; files are cached for good.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The wire's schemas are plain values: a constant beside one must not bring it and its builder into the bundle.
      // Calls are matched by name wherever they stand, so the name must be one that nothing else has.
      treeshake: { manualPureFunctions: ['Type.String'] },
      output: {
        // What every page needs is one file of the client's and one of libraries, which changes seldom.
        codeSplitting: {
          groups: [
            {
              name: 'libraries',
              test: /node_modules\/(?:react|react-dom|scheduler|react-router|@tanstack)\//,
            },
            { name: 'client', test: /packages\/web\/src\/(?:api|app)\/|src\/i18n\/(?!ru)|protocol\/src\// },
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
      '/register': server,
      '/images': server,
      '/oauth2': server,
    },
  },
})
