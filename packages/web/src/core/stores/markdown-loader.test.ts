import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMarkdownLoader, type MarkdownRenderer } from './markdown-loader.ts'

const renderer: MarkdownRenderer = { Markdown: () => null, PlainText: () => null }

test('loads the renderer once', async () => {
  let asked = 0
  const part = createMarkdownLoader(async () => {
    asked += 1
    return renderer
  })
  assert.equal(part.store.get(), 'loading')
  await Promise.all([part.load(), part.load()])
  await part.load()
  assert.equal(part.store.get(), renderer)
  assert.equal(asked, 1)
})

test('has the state failed after an error, and loads again', async () => {
  const answers = [() => Promise.reject(new Error('offline')), () => Promise.resolve(renderer)]
  const part = createMarkdownLoader(() => (answers.shift() ?? assert.fail)())
  await part.load()
  assert.equal(part.store.get(), 'failed')
  const again = part.load()
  assert.equal(part.store.get(), 'failed')
  await again
  assert.equal(part.store.get(), renderer)
})
