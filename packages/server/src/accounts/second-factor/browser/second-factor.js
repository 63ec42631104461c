// Shows the passkey forms, which are hidden without script, and submits them with the response of the authenticator.
// `data-passkey` of a form has its PublicKeyCredentialRequestOptions.
const { browserSupportsWebAuthn, startAuthentication } = globalThis.SimpleWebAuthnBrowser

/** The messages are attributes of the form, in the language of the page. */
function messageFor(error, { cancelled, failed }) {
  return error instanceof Error && error.name === 'NotAllowedError' ? cancelled : failed
}

async function submitPasskey(form) {
  const button = form.querySelector('button')
  const alert = form.querySelector('[role="alert"]')
  alert.hidden = true
  button.disabled = true
  try {
    const response = await startAuthentication({ optionsJSON: JSON.parse(form.dataset.passkey) })
    form.elements.passkey.value = JSON.stringify(response)
    // `form.submit()` does not fire the submit event again.
    form.submit()
  } catch (error) {
    alert.textContent = messageFor(error, form.dataset)
    alert.hidden = false
    button.disabled = false
  }
}

if (browserSupportsWebAuthn()) {
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.hidden = false
    form.addEventListener('submit', event => {
      event.preventDefault()
      void submitPasskey(form)
    })
  }
}
