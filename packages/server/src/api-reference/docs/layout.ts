import type { Locale } from '@gatehouse/protocol/locales'
import type { Translate } from '../../i18n/translate.ts'
import type { Reference } from './docs-document.ts'
import type { Guide } from './guides.ts'
import { Html, html } from './html.ts'

/** What the frame of a page depends on besides its content. */
export interface Frame {
  locale: Locale
  t: Translate
  productName: string
  languages: readonly { locale: Locale; name: string; href: string }[]
}

export interface NavigationData {
  reference: Reference
  guides: readonly Guide[]
}

interface PageData {
  title: string
  /** Whether the title is English in every language. */
  isEnglish?: boolean
  /** The path of the page. */
  href: string
  content: Html
  query?: string
}

export function writePage(
  { title, isEnglish = false, href, content, query = '' }: PageData,
  { locale, t, productName, languages }: Frame,
  navigation: NavigationData,
): string {
  return `<!doctype html>\n${
    html`<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title${isEnglish && new Html(' lang="en"')}>${title} · ${productName}</title>
<link rel="stylesheet" href="/pages.css">
<link rel="stylesheet" href="/docs/style.css">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<script type="module" src="/docs/script.js"></script>
</head>
<body data-copy="${t('docs.copy')}" data-copied="${t('docs.copied')}">
<a class="skip" href="#main">${t('docs.skip')}</a>
<header class="bar">
<button class="open-contents" type="button" popovertarget="contents">${t('docs.contents')}</button>
<a class="home" href="/docs"><img src="/favicon.svg" alt="" width="26" height="26"> <span>${productName} <span class="api" lang="en">API</span></span></a>
<form class="search" role="search" action="/docs/search">
<input type="search" name="q" value="${query}" placeholder="${t('docs.search')}" aria-label="${t('docs.search')}" maxlength="100" autocomplete="off" spellcheck="false">
<div class="hits" hidden></div>
</form>
</header>
<div class="columns">
<nav id="contents" class="contents" popover aria-label="${t('docs.contents')}">${writeNavigation(href, navigation, t)}</nav>
<main id="main">${content}</main>
</div>
${
  languages.length > 0 &&
  html`<nav class="languages" aria-label="${t('page.language')}">${languages.map(language =>
    language.locale === locale
      ? html`<span lang="${language.locale}" aria-current="true">${language.name}</span>`
      : html`<a lang="${language.locale}" hreflang="${language.locale}" href="${language.href}">${language.name}</a>`,
  )}</nav>`
}
</body>
</html>
`.text
  }`
}

function writeNavigation(current: string, { reference, guides }: NavigationData, t: Translate): Html {
  const link = (href: string, text: Html | string, inReference = true) =>
    html`<li><a class="item" href="${href}"${inReference && new Html(' lang="en"')}${
      href === current && new Html(' aria-current="page"')
    }>${text}</a></li>`
  const section = (href: string, title: string, items: readonly Html[]) =>
    html`<details class="section"${(current === href || current.startsWith(`${href}/`)) && new Html(' open')}><summary class="item fold" lang="en">${title}</summary><ul class="plain">${link(
      href,
      t('docs.overview'),
      false,
    )}${items}</ul></details>`
  return html`<p class="heading">${t('docs.guides')}</p>
<ul class="plain">${guides.map(({ href, title }) => link(href, title))}</ul>
<p class="heading">${t('docs.operations')}</p>
${reference.groups.map(({ href, name, operations }) =>
  section(
    href,
    name,
    operations.map(operation =>
      link(operation.href, html`${operation.title} ${writeMethod(operation.method)}`),
    ),
  ),
)}
<p class="heading">${t('docs.gateway')}</p>
${section(
  '/docs/gateway',
  'Frames and events',
  listMessages(reference).map(({ href, name }) => link(href, name)),
)}
<p class="heading">${t('docs.more')}</p>
<ul class="plain">${link('/docs/errors', t('docs.errors'), false)}${link('/docs/objects', t('docs.objects'), false)}${link(
    '/api/openapi.json',
    'OpenAPI 3.1',
  )}${link('/api/asyncapi.json', 'AsyncAPI 3.0')}</ul>`
}

/** The frames and events of the gateway, each once. */
export function listMessages({ gateway }: Reference) {
  return [
    ...new Map(gateway.groups.flatMap(({ messages }) => messages.map(item => [item.name, item]))).values(),
  ]
}

export function writeMethod(method: string): Html {
  return html`<code class="method ${method.toLowerCase()}">${method}</code>`
}
