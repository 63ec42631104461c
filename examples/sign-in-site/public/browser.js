// Sign-in of a public client without a server: authorization code with PKCE (RFC 7636) in the browser.

const { gatehouseUrl, clientId, redirectUri } = await (await fetch('/settings.json')).json()
const discovery = await (await fetch(`${gatehouseUrl}/.well-known/openid-configuration`)).json()

// Session storage belongs to this tab and is deleted when the tab closes.
const requestKey = 'authorization-request'
const tokensKey = 'tokens'

element('sign-in').addEventListener('click', startSignIn)
element('sign-out').addEventListener('click', signOut)

const parameters = new URLSearchParams(location.search)
if (parameters.has('state')) {
  // Remove the code, which may be used once, from the URL and the history.
  history.replaceState(null, '', redirectUri)
  await finishSignIn().catch(showError)
}
await showUser().catch(showError)

async function startSignIn() {
  const request = { state: random(), verifier: random() }
  sessionStorage.setItem(requestKey, JSON.stringify(request))
  const url = new URL(discovery.authorization_endpoint)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'identify',
    state: request.state,
    code_challenge: await challenge(request.verifier),
    code_challenge_method: 'S256',
  }).toString()
  location.assign(url)
}

async function finishSignIn() {
  const request = JSON.parse(sessionStorage.getItem(requestKey) ?? '{}')
  sessionStorage.removeItem(requestKey)
  if (parameters.get('state') !== request.state) throw new Error('The state does not match. Sign in again.')
  if (parameters.get('iss') !== discovery.issuer) throw new Error('The response is from another issuer.')
  if (parameters.get('error') === 'access_denied')
    throw new Error('You did not allow the sign-in. Nothing was shared.')
  if (parameters.has('error')) throw new Error(parameters.get('error_description') ?? 'The sign-in failed.')
  const response = await fetch(discovery.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: parameters.get('code') ?? '',
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: request.verifier,
    }),
  })
  const tokens = await response.json()
  if (!response.ok) throw new Error(tokens.error_description)
  sessionStorage.setItem(tokensKey, JSON.stringify(tokens))
}

async function showUser() {
  const tokens = JSON.parse(sessionStorage.getItem(tokensKey) ?? 'null')
  const response = tokens && (await fetch(discovery.userinfo_endpoint, { headers: bearer(tokens) }))
  if (!response?.ok) {
    sessionStorage.removeItem(tokensKey)
    show('welcome')
    return
  }
  const user = await response.json()
  element('avatar').setAttribute('src', user.picture)
  element('name').textContent = user.name
  element('username').textContent = user.preferred_username
  document.title = `${user.name} · Lighthouse`
  show('user')
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
function showError(error) {
  const alert = element('error')
  alert.textContent = error instanceof Error ? error.message : String(error)
  alert.hidden = false
  show('welcome')
}

/** @param {'welcome' | 'user'} name */
function show(name) {
  for (const id of ['welcome', 'user']) element(id).hidden = id !== name
}

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no element #${id}.`)
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
