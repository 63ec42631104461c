import { brotliCompressSync, gzipSync } from 'node:zlib'
import { findBrowser, startBrowser } from '@gatehouse/testkit/start-browser'
import { type Bench, medianOf, type Result, type Row } from '../bench.ts'

/** Compressed script bytes. */
const limit = 150_000
const usableMs = 1000

export const webRow: Row = {
  name: 'web',
  ofOneNode: true,
  what: "the web client's first load",
  async run(bench) {
    const results = [await firstLoad(bench)]
    if (findBrowser()) results.push(...(await inBrowser(bench)))
    return results
  },
}

/** The scripts that the page references: bytes as sent, uncompressed, and with gzip and brotli. */
async function firstLoad(bench: Bench): Promise<Result> {
  const { service } = await bench.target()
  const html = await (await fetch(service.url)).text()
  const files = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, path]) => path ?? '',
  )
  const sums = { files: 0, plain: 0, gzip: 0, brotli: 0, sent: 0 }
  const errors: Record<string, number> = {}
  for (const path of new Set(files.filter(file => file.endsWith('.js')))) {
    const bytes = new Uint8Array(await (await fetch(new URL(path, service.url))).arrayBuffer())
    const headers = { 'accept-encoding': 'gzip, br' }
    const sent = await fetch(new URL(path, service.url), { headers })
    if (sent.status !== 200) errors[`${sent.status} ${path}`] = 1
    const length = Number(sent.headers.get('content-length'))
    await sent.arrayBuffer()
    sums.files++
    sums.plain += bytes.length
    sums.gzip += gzipSync(bytes, { level: 9 }).length
    sums.brotli += brotliCompressSync(bytes).length
    sums.sent += length
  }
  if (sums.files === 0) errors['the page names no script: npm run build'] = 1
  return {
    what: `first load of the web client, ${sums.files} scripts`,
    sides: { sent: kb(sums.sent), plain: kb(sums.plain), gzip: kb(sums.gzip), brotli: kb(sums.brotli) },
    figure: kb(sums.sent),
    goal: 'under 150 KB, compressed',
    isReached: sums.files > 0 && sums.sent < limit,
    errors,
  }
}

function kb(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`
}

/**
 * Measures with an empty browser cache: the time from the navigation to a visible composer, and the size of all scripts
 * when the network is idle.
 */
async function inBrowser(bench: Bench): Promise<Result[]> {
  const { service, fixture } = await bench.target()
  const browser = await startBrowser()
  const times: number[] = []
  const errors: Record<string, number> = {}
  let scripts: number[] = []
  try {
    const cookies = fixture.cookie.split('; ').map(pair => {
      const [name = '', value = ''] = pair.split('=')
      return { name, value, url: service.url }
    })
    for (let round = 0; round <= bench.rounds; round++) {
      const context = await browser.newContext()
      await context.addCookies(cookies)
      const page = await context.newPage()
      const startedAt = performance.now()
      await page.goto(`${service.url}/channels/${fixture.serverId}/${fixture.channelId}`)
      const isVisible = await page
        .locator('textarea, [contenteditable=true]')
        .first()
        .waitFor({ timeout: 15_000 })
        .then(
          () => true,
          () => false,
        )
      // The first page of a new browser process is slow.
      if (round > 0 && isVisible) times.push(performance.now() - startedAt)
      if (!isVisible) errors['no place to write in'] = (errors['no place to write in'] ?? 0) + 1
      await page.waitForLoadState('networkidle')
      scripts = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter(entry => entry instanceof PerformanceResourceTiming && entry.name.endsWith('.js'))
          .map(entry => (entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0)),
      )
      await context.close()
    }
  } finally {
    await browser.close()
  }
  const ms = medianOf(times, time => time)
  const sent = scripts.reduce((sum, bytes) => sum + bytes, 0)
  return [
    {
      what: `all scripts of a channel in a browser, ${scripts.length} of them`,
      sides: { sent: kb(sent) },
      figure: kb(sent),
      goal: 'under 150 KB, compressed',
      isReached: sent > 0 && sent < limit,
      errors: {},
    },
    {
      what: 'chat usable in a browser',
      sides: { ours: `${ms.toFixed(0)} ms` },
      figure: `${ms.toFixed(0)} ms`,
      goal: 'under 1 s',
      isReached: ms < usableMs,
      errors,
    },
  ]
}
