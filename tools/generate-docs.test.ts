import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeReference } from './generate-docs.ts'

const route = {
  method: 'GET',
  path: '/api/things/:id',
  summary: 'Reads a | thing.',
  tag: 'Servers',
  caller: {},
} as const

test('lists every variable with its default and its description', () => {
  const text = writeReference(
    [],
    [
      { name: 'PORT', default: '3000', description: 'The port.' },
      { name: 'NATS_URL', default: '', description: 'The bus.' },
      { name: 'SECRET_KEY', default: 'generated in `data/secret.key`', description: 'The key.' },
    ],
  )
  assert.match(text, /^\| `PORT` \| `3000` \| The port\. \|$/m)
  assert.match(text, /^\| `NATS_URL` \| – \| The bus\. \|$/m)
  assert.match(text, /^\| `SECRET_KEY` \| generated in `data\/secret\.key` \| The key\. \|$/m)
})

test('lists every endpoint under its tag with its callers', () => {
  const text = writeReference(
    [route, { ...route, method: 'PUT', caller: { session: true, bearer: ['identify'] } }],
    [],
  )
  assert.match(text, /^### Servers$/m)
  assert.match(text, /^\| `GET \/api\/things\/:id` \| anyone \| Reads a \\\| thing\. \|$/m)
  assert.match(text, /^\| `PUT \/api\/things\/:id` \| session, bearer with `identify` \|/m)
})
