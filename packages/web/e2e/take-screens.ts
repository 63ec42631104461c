import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { createScreens, openScreen } from './screens.ts'
import { openAs } from './testing.ts'

// `npm run screens --workspace @gatehouse/web -- FOLDER [en-GB | ru-RU]`: takes a screenshot of every
// screen for visual review: wide and narrow, light and dark. Build the client first.
const [folder = 'screens', locale = 'en-GB'] = process.argv.slice(2)
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const

test('takes a screenshot of every screen', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const screens = await createScreens(world)
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const directory = join(folder, `${size}-${colorScheme}`)
      mkdirSync(directory, { recursive: true })
      const options = { colorScheme, viewport, locale, reducedMotion: 'reduce' } as const
      const { page } = await openAs(t, service, world.owner, '/', options)
      page.setDefaultTimeout(5000)
      for (const [index, screen] of screens.entries()) {
        const file = `${String(index).padStart(2, '0')}-${screen.name.replaceAll(' ', '-')}.png`
        await openScreen(page, service.url, screen).catch(error => t.diagnostic(`${screen.name}: ${error}`))
        await page.screenshot({ path: join(directory, file) })
      }
      await page.context().close()
    }
  }
})
