import type { IdToken } from './id-token.ts'

/** Renders a page of the site. Escape untrusted values with `escapeHtml`. */
function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/lighthouse.svg">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<main class="card">
${content}
</main>
</body>
</html>
`
}

const mark = '<img class="mark" src="/lighthouse.svg" alt="" width="72" height="72">\n'

export function welcomePage(): string {
  return page(
    'Lighthouse',
    `${mark}<h1>Lighthouse</h1>
<p>A little site that wants to know who you are, and nothing else.</p>
<a class="button" href="/sign-in">Sign in with Gatehouse</a>
<p class="small">This site has a server that keeps a secret.
<a href="/browser">Here is the same in the browser alone.</a></p>`,
  )
}

export function personPage(person: IdToken): string {
  return page(
    `${person.name} · Lighthouse`,
    `<img class="avatar" src="${escapeHtml(person.picture)}" alt="" width="96" height="96">
<h1>${escapeHtml(person.name)}</h1>
<p>You are signed in as <strong>${escapeHtml(person.preferred_username)}</strong>.</p>
<form method="post" action="/sign-out"><button class="button quiet">Sign out</button></form>`,
  )
}

export function refusedPage(reason: string): string {
  return page(
    'Not signed in · Lighthouse',
    `${mark}<h1>Not signed in</h1>
<p role="alert">${escapeHtml(reason)}</p>
<a class="button" href="/sign-in">Try again</a>
<p class="small"><a href="/">Back to the start</a></p>`,
  )
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
