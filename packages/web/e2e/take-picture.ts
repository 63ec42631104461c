import { join } from 'node:path'
import { startBrowser } from '@gatehouse/testkit/start-browser'

// `npm run picture --workspace @gatehouse/web -- URL PASSWORD WEBHOOK_URL`: takes the picture of the README from a new
// `npm run demo`, which prints the three arguments.
const [url = '', password = '', webhookUrl = ''] = process.argv.slice(2)
const viewport = { width: 1200, height: 675 }
const browser = await startBrowser()

async function signIn(login: string) {
  const context = await browser.newContext({
    viewport,
    deviceScaleFactor: 2,
    colorScheme: 'light',
    locale: 'en-GB',
  })
  const page = await context.newPage()
  await page.goto(url)
  await page.getByLabel('Username or email address').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: /^deploys/ }).click()
  const composer = page.getByLabel('Message #deploys')
  await composer.waitFor()
  return { page, composer }
}

const [ana, boris] = [await signIn('ana'), await signIn('boris')]
await fetch(webhookUrl, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    username: 'CI',
    embeds: [
      {
        title: 'Build 42 is deployed',
        url: 'https://ci.example.org/42',
        description: '318 tests passed in `2m 14s`',
        color: 0x2eb67d,
        fields: [
          { name: 'Commit', value: '`9f2c1ab` Shorter waits', inline: true },
          { name: 'Environment', value: 'production', inline: true },
        ],
      },
    ],
  }),
})
await ana.page.getByRole('link', { name: /^Build 42/ }).waitFor()
await boris.composer.fill('Отлично! Who writes the **release notes**?')
await boris.page.keyboard.press('Enter')
await ana.page.getByText('Who writes the').last().waitFor()
await ana.composer.pressSequentially('/roll')
await ana.page.getByRole('option', { name: /^\/roll/ }).waitFor()
await ana.page.keyboard.press('Enter')
await ana.page.keyboard.press('Enter')
await ana.page.getByRole('button', { name: 'Roll again' }).waitFor()
await boris.page.getByRole('button', { name: 'Roll again' }).waitFor()
await ana.composer.click()
await ana.page.screenshot({ path: join(import.meta.dirname, '../../../docs/images/client.png') })
await browser.close()
