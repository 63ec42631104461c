import { startBrowser } from '@gatehouse/testkit/start-browser'
import type { Bench } from '../bench.ts'
import { compare, type Result } from '../report.ts'

/** From the navigation with an empty cache to a usable composer. */
export async function* web(bench: Bench): AsyncGenerator<Result> {
  const { service, fixture } = await bench.target(1)
  const cookies = fixture.cookie.split('; ').map(pair => {
    const [name = '', value = ''] = pair.split('=')
    return { name, value, url: service.url }
  })
  await using browser = await startBrowser()
  const ours = async () => {
    await using context = await browser.newContext()
    await context.addCookies(cookies)
    const page = await context.newPage()
    const startedAt = performance.now()
    const response = await page.goto(`${service.url}/channels/${fixture.serverId}/${fixture.channelId}`)
    await page.locator('textarea, [contenteditable=true]').first().waitFor()
    const usable = performance.now() - startedAt
    const html = (await response?.text()) ?? ''
    const resources = await page.evaluate(() => {
      const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      return entries.map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, encodedBodySize }))
    })
    const scripts = resources.filter(({ path }) => path.endsWith('.js') && html.includes(path))
    return { usable, scripts: scripts.reduce((sum, script) => sum + script.encodedBodySize, 0) / 1000 }
  }
  const goals = { ours: { scripts: { most: 150 }, usable: { most: 1000 } } }
  yield compare(bench, 'first load of a channel, with the scripts that the HTML names', { ours }, goals)
}
