import assert from 'node:assert/strict'
import type { TestResponse } from './service.ts'

/** The field errors of a 400 response, as `path code`. */
export function fieldErrorsOf(response: TestResponse): string[] {
  assert.equal(response.status, 400, response.text)
  const errors: { path: string; code: string }[] = response.body.errors
  return errors.map(({ path, code }) => `${path} ${code}`)
}
