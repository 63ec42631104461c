// node server.ts, with GATEHOUSE_URL, CLIENT_ID, CLIENT_SECRET and PUBLIC_CLIENT_ID in the environment.
import { createSite } from './site.ts'

const {
  GATEHOUSE_URL = 'http://localhost:3000',
  PORT = '3001',
  CLIENT_ID = '',
  CLIENT_SECRET = '',
  PUBLIC_CLIENT_ID = '',
} = process.env

const siteUrl = `http://localhost:${PORT}`
const site = createSite({
  gatehouseUrl: GATEHOUSE_URL,
  siteUrl,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  publicClientId: PUBLIC_CLIENT_ID,
})
site.listen(Number(PORT), '127.0.0.1', () => console.log(`The site is at ${siteUrl}`))
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    site.close()
    site.closeAllConnections()
  })
}
