import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentSecurityPolicy } from './security-headers.ts'

test('directives and sources keep their order', () => {
  assert.equal(
    contentSecurityPolicy({
      'default-src': ["'none'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:', 'https:'],
      'connect-src': ['ws://localhost:3000', 'wss://[::1]:3000', 'ws://my_host'],
      'form-action': ["'self'", 'https://app.example:8443', 'com.example.app:'],
    }),
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; " +
      'connect-src ws://localhost:3000 wss://[::1]:3000 ws://my_host; ' +
      "form-action 'self' https://app.example:8443 com.example.app:",
  )
})

test('an invalid source expression is omitted', () => {
  for (const source of [
    'https://x;sandbox;y.example',
    'https://x,y.example',
    'https://a.example b.example',
    'https://a.example\nx',
    "https://a'b.example",
    "'unsafe-eval'",
    '*',
    '',
  ]) {
    assert.equal(contentSecurityPolicy({ 'form-action': ["'self'", source] }), "form-action 'self'", source)
    assert.equal(contentSecurityPolicy({ 'form-action': [source] }), "form-action 'none'", source)
  }
})
