import type { IdTokenClaims } from './id-token.ts'

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

const logo = '<img class="logo" src="/lighthouse.svg" alt="" width="72" height="72">\n'

export function welcomePage(): string {
  return page(
    'Lighthouse',
    `${logo}<h1>Lighthouse</h1>
<p>An example site. It only asks Gatehouse who you are.</p>
<a class="button" href="/sign-in">Sign in with Gatehouse</a>
<p class="small">This page uses a server with a client secret.
<a href="/browser">Sign in without a server</a></p>`,
  )
}

export function userPage(user: IdTokenClaims): string {
  return page(
    `${user.name} · Lighthouse`,
    `<img class="avatar" src="${escapeHtml(user.picture)}" alt="" width="96" height="96">
<h1>${escapeHtml(user.name)}</h1>
<p>You are signed in as <strong>${escapeHtml(user.preferred_username)}</strong>.</p>
<form method="post" action="/sign-out"><button class="button quiet">Sign out</button></form>`,
  )
}

export function errorPage(message: string): string {
  return page(
    'Not signed in · Lighthouse',
    `${logo}<h1>Not signed in</h1>
<p role="alert">${escapeHtml(message)}</p>
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
