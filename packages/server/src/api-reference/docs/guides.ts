import { readFile } from 'node:fs/promises'

/** The files of `docs/` that are pages of the reference too, with their addresses. */
const files = {
  'api.md': '/docs',
  'sign-in.md': '/docs/guides/sign-in',
  'bots.md': '/docs/guides/bots',
  'webhooks.md': '/docs/guides/webhooks',
}

const folder = new URL('../../../../../docs/', import.meta.url)

export interface Guide {
  href: string
  title: string
  /** Markdown without the title. */
  text: string
}

/** Reads the guides. Their examples get the URL of this service. The first one is the introduction. */
export async function readGuides(baseUrl: string): Promise<[Guide, ...Guide[]]> {
  const [introduction, ...others] = await Promise.all(
    Object.entries(files).map(async ([file, href]): Promise<Guide> => {
      const source = await readFile(new URL(file, folder), 'utf8')
      const [, title = '', text = ''] = /^# (.+)\n([\s\S]*)$/.exec(source) ?? []
      return { href, title, text: text.replaceAll('https://chat.example.org', baseUrl) }
    }),
  )
  if (!introduction) throw new Error('there are no guides')
  return [introduction, ...others]
}

/** The target of a link in a guide: pages for the other guides, nothing for files that the service does not have. */
export function resolveGuideLink(url: string): string | undefined {
  const [file = '', anchor] = url.split('#', 2)
  const page = Object.entries(files).find(([name]) => name === file)?.[1]
  if (page !== undefined) return anchor === undefined ? page : `${page}#${anchor}`
  return /^(https?:|#|\/)/.test(url) ? url : undefined
}
