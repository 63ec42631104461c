// Sign-in of a public client without a server: authorization code with PKCE (RFC 7636) in the browser.

const { gatehouseUrl, clientId, redirectUri } = await (await fetch('/settings.json')).json()
const discovery = await (await fetch(`${gatehouseUrl}/.well-known/openid-configuration`)).json()

// Session storage belongs to this tab and is deleted when the tab closes.
const attemptKey = 'attempt'
const tokensKey = 'tokens'

element('sign-in').addEventListener('click', begin)
element('sign-out').addEventListener('click', signOut)

const answer = new URLSearchParams(location.search)
if (answer.has('state')) {
  // Remove the code, which may be used once, from the URL and the history.
  history.replaceState(null, '', redirectUri)
  await finish().catch(refuse)
}
await showPerson().catch(refuse)

async function begin() {
  const attempt = { state: random(), verifier: random() }
  sessionStorage.setItem(attemptKey, JSON.stringify(attempt))
  const url = new URL(discovery.authorization_endpoint)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'identify',
    state: attempt.state,
    code_challenge: await challenge(attempt.verifier),
    code_challenge_method: 'S256',
  }).toString()
  location.assign(url)
}

async function finish() {
  const attempt = JSON.parse(sessionStorage.getItem(attemptKey) ?? '{}')
  sessionStorage.removeItem(attemptKey)
  if (answer.get('state') !== attempt.state) throw new Error('This sign-in was not begun here.')
  if (answer.get('iss') !== discovery.issuer) throw new Error('This answer comes from another service.')
  if (answer.get('error') === 'access_denied') throw new Error('You did not allow it. Nothing was shared.')
  if (answer.has('error')) throw new Error(answer.get('error_description') ?? 'It did not work.')
  const response = await fetch(discovery.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: answer.get('code') ?? '',
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: attempt.verifier,
    }),
  })
  const tokens = await response.json()
  if (!response.ok) throw new Error(tokens.error_description)
  sessionStorage.setItem(tokensKey, JSON.stringify(tokens))
}

async function showPerson() {
  const tokens = JSON.parse(sessionStorage.getItem(tokensKey) ?? 'null')
  const response = tokens && (await fetch(discovery.userinfo_endpoint, { headers: bearer(tokens) }))
  if (!response?.ok) {
    sessionStorage.removeItem(tokensKey)
    show('welcome')
    return
  }
  const person = await response.json()
  element('avatar').setAttribute('src', person.picture)
  element('name').textContent = person.name
  element('username').textContent = person.preferred_username
  document.title = `${person.name} · Lighthouse`
  show('person')
}

async function signOut() {
  const tokens = JSON.parse(sessionStorage.getItem(tokensKey) ?? '{}')
  sessionStorage.removeItem(tokensKey)
  const body = new URLSearchParams({ token: tokens.refresh_token })
  await fetch(discovery.revocation_endpoint, { method: 'POST', body }).catch(() => {})
  document.title = 'Lighthouse in the browser'
  show('welcome')
}

/** @param {unknown} error */
function refuse(error) {
  const refusal = element('refusal')
  refusal.textContent = error instanceof Error ? error.message : String(error)
  refusal.hidden = false
  show('welcome')
}

/** @param {'welcome' | 'person'} name */
function show(name) {
  for (const id of ['welcome', 'person']) element(id).hidden = id !== name
}

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no #${id}`)
  return found
}

/** @param {{ access_token: string }} tokens */
function bearer(tokens) {
  return { authorization: `Bearer ${tokens.access_token}` }
}

function random() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

/** @param {string} verifier */
async function challenge(verifier) {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
