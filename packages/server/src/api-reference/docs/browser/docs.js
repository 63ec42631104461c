// Search while typing, copy buttons, and the language of the samples. The pages work without it.
const { copy, copied } = document.body.dataset

function addCopyButton(pre) {
  const frame = document.createElement('div')
  frame.className = 'with-copy'
  pre.replaceWith(frame)
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = copy
  button.ariaLive = 'polite'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = copied
    setTimeout(() => {
      button.textContent = copy
    }, 2000)
  })
  frame.append(pre, button)
}

for (const pre of document.querySelectorAll('pre')) addCopyButton(pre)

/** Opens the folded fields around the target of the address. */
function showTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  for (let parent = target?.parentElement; parent; parent = parent.parentElement)
    if (parent.tagName === 'DETAILS') parent.open = true
  target?.scrollIntoView()
}

addEventListener('hashchange', showTarget)
if (location.hash) showTarget()

/** The language of the samples that the reader chose last. */
const sampleKey = 'docs-sample'
const samples = [...document.querySelectorAll('.sample')]
const labelOf = sample => sample.querySelector('summary').textContent
const chosen = samples.find(sample => labelOf(sample) === localStorage.getItem(sampleKey))
if (chosen) chosen.open = true
for (const sample of samples) {
  sample.addEventListener('toggle', () => {
    if (sample.open) localStorage.setItem(sampleKey, labelOf(sample))
  })
}

document.querySelector('#contents [aria-current="page"]')?.scrollIntoView({ block: 'nearest' })

const form = document.querySelector('.search')
const input = form.elements.q
const hits = form.querySelector('.hits')
let latest = 0

/** Shows the list of the page with the results below the search field. */
async function search() {
  const query = input.value.trim()
  const number = ++latest
  if (query === '') return close()
  const response = await fetch(`/docs/search?${new URLSearchParams({ q: query })}`)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  // An earlier request may be answered later.
  if (number !== latest) return
  const found = page.getElementById('found')
  found.removeAttribute('id')
  found.role = 'status'
  hits.replaceChildren(found, page.querySelector('.found'))
  hits.hidden = false
}

function close() {
  latest++
  hits.hidden = true
}

/** The search field and the links below it, in the order of the arrow keys. */
function moveFocus(step) {
  const stops = [input, ...(hits.hidden ? [] : hits.querySelectorAll('a'))]
  stops[stops.indexOf(document.activeElement) + step]?.focus()
}

let timer
input.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(search, 120)
})
input.addEventListener('focus', () => {
  if (input.value.trim() !== '' && hits.childElementCount > 0) hits.hidden = false
})
form.addEventListener('keydown', event => {
  // The key belongs to an input method. Safari tells it only by the key code.
  if (event.isComposing || event.keyCode === 229) return
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    moveFocus(event.key === 'ArrowDown' ? 1 : -1)
  } else if (event.key === 'Escape') {
    input.focus()
    close()
  }
})
form.addEventListener('focusout', event => {
  if (event.relatedTarget && !form.contains(event.relatedTarget)) close()
})
document.addEventListener('click', event => {
  if (!form.contains(event.target)) close()
})
document.addEventListener('keydown', event => {
  const isTyping = event.target.closest('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input.focus()
})
