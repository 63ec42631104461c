// Builds what the server has below `/docs` besides the API documents: the guides as HTML, the viewer, and the files of
// the example bots.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id'

/**
 * The files of `docs/` that are pages of the reference, with their paths. A page below another one, such as
 * `/docs/guides/bots/commands`, is a part of that guide.
 */
const pages = {
  'api.md': '/docs',
  'sign-in.md': '/docs/guides/sign-in',
  'connect.md': '/docs/guides/connect',
  'bots.md': '/docs/guides/bots',
  'bots/commands.md': '/docs/guides/bots/commands',
  'bots/components.md': '/docs/guides/bots/components',
  'bots/messages.md': '/docs/guides/bots/messages',
  'bots/requests.md': '/docs/guides/bots/requests',
  'bots/events.md': '/docs/guides/bots/events',
  'bots/testing.md': '/docs/guides/bots/testing',
  'bots/running.md': '/docs/guides/bots/running',
  'bots/examples.md': '/docs/guides/bots/examples',
  'bots/without-sdk.md': '/docs/guides/bots/without-sdk',
  'bots/limits.md': '/docs/guides/bots/limits',
  'discord.md': '/docs/guides/bots/discord',
  'webhooks.md': '/docs/guides/webhooks',
  'gateway.md': '/docs/guides/gateway',
  'errors.md': '/docs/errors',
}

/** The folders of `examples/` that a service offers as archives. */
const bots = ['dice-bot', 'welcome-bot', 'moderation-bot']

const docs = new URL('../../docs/', import.meta.url)
const examples = new URL('../../examples/', import.meta.url)
const dist = new URL('dist/', import.meta.url)

/** Converts the links of a file, which are relative to it. */
const markedFor = (file: string) =>
  new Marked(gfmHeadingId(), {
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = targetOf(href, file)
        return target === undefined ? text : `<a href="${target}">${text}</a>`
      },
      // The keyboard scrolls an element only if it can have the focus.
      code: ({ text, lang }) =>
        `<pre tabindex="0"><code data-language="${lang ?? ''}">${escapeHtml(text)}</code></pre>\n`,
      html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
      table({ header, rows }) {
        const write = (cells: readonly Tokens.TableCell[], open: string, close: string) =>
          `<tr>${cells.map(cell => open + this.parser.parseInline(cell.tokens) + close).join('')}</tr>`
        const body = rows.map(row => write(row, '<td>', '</td>')).join('\n')
        const head = write(header, '<th scope="col">', '</th>')
        return `<div class="scroll" tabindex="0"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`
      },
    },
  })

/** Undefined for a file that the service does not have. `from`: the file with the link. */
function targetOf(url: string, from: string): string | undefined {
  const [file = '', anchor] = url.split('#', 2)
  const linked = posix.join(posix.dirname(from), file)
  if (linked === '../examples/alert.sh') return '/docs/examples/alert.sh'
  const page = Object.entries(pages).find(([name]) => name === linked)?.[1]
  if (page !== undefined) return anchor === undefined ? page : `${page}#${anchor}`
  return /^(https?:|#|\/)/.test(url) ? url : undefined
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function buildGuide(file: string, path: string) {
  const html = markedFor(file).parse(readFileSync(new URL(file, docs), 'utf8'), { async: false })
  const headings = getHeadingList().map(({ level, id, text }) => ({ level, id, text }))
  return {
    path,
    title: headings[0]?.text ?? '',
    html,
    headings: headings.filter(({ level }) => level === 2),
    sections: listSections(html),
  }
}

/** The texts from each heading to the next one, for the search. */
function listSections(html: string) {
  return html.split(/(?=<h[1-6] id=")/).flatMap(part => {
    const [, id = '', heading = '', text = ''] = /^<h\d id="([^"]*)">(.*)<\/h\d>([\s\S]*)$/.exec(part) ?? []
    return id === '' ? [] : [{ id, title: toText(heading), text: toText(text) }]
  })
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }

function toText(html: string): string {
  const text = html
    .replace(/<\/?(?:a|code|del|em|strong)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|amp|#39);/g, (_, name) => entities[name] ?? '')
  return text.replace(/\s+/g, ' ').trim()
}

/** The files of an example bot by their paths, for a folder outside this repository. */
function readBot(name: string): Record<string, string> {
  const folder = new URL(`${name}/`, examples)
  // The tests of `service.test.ts` need this repository.
  const kept = readdirSync(folder).filter(file => /^((?!service).*\.ts|.*\.(md|json|example))$/.test(file))
  const files = kept.toSorted().map(file => [`${name}/${file}`, read(new URL(file, folder))])
  return { ...Object.fromEntries(files), [`${name}/.gitignore`]: 'node_modules/\n.env\n' }

  function read(file: URL): string {
    const text = readFileSync(file, 'utf8').replaceAll('http://localhost:3000', 'https://chat.example.org')
    if (!file.pathname.endsWith('/package.json')) return text
    const dependencies = { '@gatehouse/bot': 'https://chat.example.org/sdk/gatehouse-bot.tgz' }
    return `${JSON.stringify({ ...JSON.parse(text), name, dependencies }, null, 2)}\n`
  }
}

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
const guides = Object.entries(pages).map(([file, path]) => buildGuide(file, path))
writeFileSync(new URL('guides.json', dist), JSON.stringify(guides))
writeFileSync(
  new URL('examples.json', dist),
  JSON.stringify(Object.fromEntries(bots.map(name => [name, readBot(name)]))),
)
cpSync(new URL('alert.sh', examples), new URL('alert.sh', dist))
cpSync(new URL('docs.css', import.meta.url), new URL('docs.css', dist))
const scalar = import.meta.resolve('@scalar/fastify-api-reference')
cpSync(new URL('js/standalone.js', scalar), new URL('viewer.js', dist))
