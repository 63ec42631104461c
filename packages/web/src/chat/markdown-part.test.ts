import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMarkdownPart, type MarkdownComponent } from './markdown-part.ts'

const Markdown: MarkdownComponent = () => null

test('it is asked for once, and waited for until it is there', async () => {
  let asked = 0
  const part = createMarkdownPart(async () => {
    asked += 1
    return Markdown
  })
  assert.equal(part.store.get(), 'waiting')
  await Promise.all([part.load(), part.load()])
  await part.load()
  assert.equal(part.store.get(), Markdown)
  assert.equal(asked, 1)
})

test('what was not to be had is waited for no longer, and asked for again', async () => {
  const answers = [() => Promise.reject(new Error('offline')), () => Promise.resolve(Markdown)]
  const part = createMarkdownPart(() => (answers.shift() ?? assert.fail)())
  await part.load()
  assert.equal(part.store.get(), 'missing')
  const again = part.load()
  assert.equal(part.store.get(), 'missing')
  await again
  assert.equal(part.store.get(), Markdown)
})
