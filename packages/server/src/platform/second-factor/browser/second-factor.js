// Shows the forms that ask for a passkey, which are hidden where there is no script, and answers them.
// The options of each stand in its attribute `data-passkey`.
const { browserSupportsWebAuthn, startAuthentication } = globalThis.SimpleWebAuthnBrowser

/** In words that say what to do; what went wrong inside helps nobody here. */
function explain(error) {
  if (error instanceof Error && error.name === 'NotAllowedError') {
    return 'No passkey was chosen, or it took too long. Try again, or sign in in another way.'
  }
  return 'This browser could not use a passkey here. Sign in in another way.'
}

async function answer(form) {
  const button = form.querySelector('button')
  const alert = form.querySelector('[role="alert"]')
  alert.hidden = true
  button.disabled = true
  try {
    const response = await startAuthentication({ optionsJSON: JSON.parse(form.dataset.passkey) })
    form.elements.passkey.value = JSON.stringify(response)
    // Unlike a click on the button, this does not come back here.
    form.submit()
  } catch (error) {
    alert.textContent = explain(error)
    alert.hidden = false
    button.disabled = false
  }
}

if (browserSupportsWebAuthn()) {
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.hidden = false
    form.addEventListener('submit', event => {
      event.preventDefault()
      void answer(form)
    })
  }
}
