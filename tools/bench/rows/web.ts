import { startBrowser } from '@gatehouse/testkit/start-browser'
import { median } from '../load.ts'
import { figure, ms, type Row } from '../report.ts'

/** From the navigation with an empty cache to a usable composer. */
export const webRow: Row = {
  name: 'web',
  ofOneNode: true,
  what: 'first load of the web client in Chromium (CHROMIUM_PATH)',
  async *run(bench) {
    const { service, fixture } = await bench.target()
    const cookies = fixture.cookie.split('; ').map(pair => {
      const [name = '', value = ''] = pair.split('=')
      return { name, value, url: service.url }
    })
    const times: number[] = []
    let ofHtml = 0
    let ofChannel = 0
    await using browser = await startBrowser()
    // The first page of a new process is slow and does not count.
    for (let round = 0; round <= bench.rounds; round++) {
      await using context = await browser.newContext()
      await context.addCookies(cookies)
      const page = await context.newPage()
      const startedAt = performance.now()
      const response = await page.goto(`${service.url}/channels/${fixture.serverId}/${fixture.channelId}`)
      await page.locator('textarea, [contenteditable=true]').first().waitFor()
      if (round > 0) times.push(performance.now() - startedAt)
      await page.waitForLoadState('networkidle')
      const scripts = await page.evaluate(() => {
        const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
        const ofScripts = entries.filter(({ name }) => name.endsWith('.js'))
        return ofScripts.map(({ name, encodedBodySize }) => ({
          path: new URL(name).pathname,
          encodedBodySize,
        }))
      })
      const sum = (list: typeof scripts) => list.reduce((bytes, script) => bytes + script.encodedBodySize, 0)
      const html = (await response?.text()) ?? ''
      ofHtml = sum(scripts.filter(({ path }) => html.includes(path)))
      ofChannel = sum(scripts)
    }
    const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`
    yield {
      what: 'first load of a channel',
      sides: {},
      figures: [
        figure('scripts that the HTML names, compressed', ofHtml, kb, { most: 150_000 }),
        figure('with those that the channel loads later, such as Markdown', ofChannel, kb),
        figure('usable after', median(times), ms, { most: 1000 }),
      ],
      errors: {},
    }
  },
}
