import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createClient } from './demo-client.ts'
import { createDemoData } from './demo-data.ts'

/**
 * Creates demo data in the service at `url`, starts the example bot and, on the port after that of the service, the
 * example site, and prints the URLs. `exit` is called if an example ends. Resolves to a function that stops the
 * examples.
 */
export async function startDemo(url: string, exit: (code: number) => void): Promise<() => Promise<unknown>> {
  const sitePort = String(Number(new URL(url).port) + 1)
  const siteUrl = `http://localhost:${sitePort}`
  const data = await createDemoData(() => createClient(url), siteUrl)
  const examples = [
    startExample('dice-bot/bot', { GATEHOUSE_URL: url, BOT_TOKEN: data.botToken }),
    startExample('sign-in-site/server', {
      GATEHOUSE_URL: url,
      PORT: sitePort,
      CLIENT_ID: data.site.clientId,
      CLIENT_SECRET: data.site.clientSecret,
      PUBLIC_CLIENT_ID: data.site.publicClientId,
    }),
  ]
  let stopping = false
  const ended = Promise.race(examples.map(example => once(example, 'exit')))
    .catch(error => {
      process.stderr.write(`${error}\n`)
      return [1]
    })
    .then(([code]) => {
      if (!stopping) exit(code || 1)
      stopping = true
    })
  // Each prints a line when it is ready.
  const ready = examples.map(async ({ stdout }) => {
    const [line] = await once(stdout, 'data')
    process.stdout.write(line)
    stdout.pipe(process.stdout)
  })
  await Promise.race([Promise.all(ready), ended])
  if (!stopping) process.stdout.write(describe(url, siteUrl, data))
  return () => {
    stopping = true
    return Promise.all(examples.map(example => example.terminate()))
  }
}

/** An example program in a thread of its own, with these environment variables only. */
function startExample(name: string, env: Record<string, string>): Worker {
  // `.ts` in the repository, `.js` in the package.
  const file = `../../../../../examples/${name}${extname(import.meta.filename)}`
  return new Worker(new URL(file, import.meta.url), { env, stdout: true })
}

function describe(url: string, siteUrl: string, data: Awaited<ReturnType<typeof createDemoData>>): string {
  return `
  The community             ${url}
  A site with sign-in       ${siteUrl}
  The API                   ${url}/docs

  Sign in as
${data.usernames.map(name => `    ${name.padEnd(8)} ${data.password}`).join('\n')}

  In #games type /roll and press the button under the response. Post a message in #deploys:

    curl -H 'Content-Type: application/json' -d '{"content":"It is deployed."}' '${data.webhookUrl}'

  Ctrl-C stops everything.
`
}
