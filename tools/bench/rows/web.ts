import { startBrowser } from '@gatehouse/testkit/start-browser'
import { median } from '../load.ts'
import { figure, ms, type Row } from '../report.ts'

/** From the navigation with an empty cache to a usable composer, and the scripts of a channel. */
export const webRow: Row = {
  name: 'web',
  ofOneNode: true,
  what: 'first load of the web client in Chromium (CHROMIUM_PATH)',
  async run(bench) {
    const { service, fixture } = await bench.target()
    const cookies = fixture.cookie.split('; ').map(pair => {
      const [name = '', value = ''] = pair.split('=')
      return { name, value, url: service.url }
    })
    const times: number[] = []
    const sizes: number[] = []
    await using browser = await startBrowser()
    // The first page of a new process is slow and does not count.
    for (let round = 0; round <= bench.rounds; round++) {
      await using context = await browser.newContext()
      await context.addCookies(cookies)
      const page = await context.newPage()
      const startedAt = performance.now()
      await page.goto(`${service.url}/channels/${fixture.serverId}/${fixture.channelId}`)
      await page.locator('textarea, [contenteditable=true]').first().waitFor()
      if (round > 0) times.push(performance.now() - startedAt)
      await page.waitForLoadState('networkidle')
      const bytes = await page.evaluate(() => {
        const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
        const scripts = entries.filter(({ name }) => name.endsWith('.js'))
        return scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
      })
      sizes.push(bytes)
    }
    const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`
    return [
      {
        what: 'first load of a channel',
        sides: {},
        figures: [
          figure('compressed scripts', median(sizes), kb, { most: 150_000 }),
          figure('usable after', median(times), ms, { most: 1000 }),
        ],
        errors: {},
      },
    ]
  },
}
