import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editsExcept } from './use-edits.ts'

test('the changes are the edits that differ from the record', () => {
  const record = { name: 'general', topic: '' }
  assert.deepEqual(editsExcept({}, record), {})
  assert.deepEqual(editsExcept({ topic: 'Boats' }, record), { topic: 'Boats' })
  assert.deepEqual(editsExcept({ name: 'general', topic: 'Boats' }, record), { topic: 'Boats' })
  // Another user has made the same change.
  assert.deepEqual(editsExcept({ topic: 'Boats' }, { ...record, topic: 'Boats' }), {})
})

test('after a submission only the edits that were made since then remain', () => {
  const submitted = { name: 'general', topic: 'Boats' }
  assert.deepEqual(editsExcept(submitted, submitted), {})
  assert.deepEqual(editsExcept({ ...submitted, topic: 'Boats and' }, submitted), { topic: 'Boats and' })
  // Back to the value from before the submission.
  assert.deepEqual(editsExcept({ ...submitted, topic: '' }, submitted), { topic: '' })
  // A field that was not submitted.
  assert.deepEqual(editsExcept(submitted, { topic: 'Boats' }), { name: 'general' })
})
