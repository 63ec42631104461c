import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiDocument, createApiCheck } from '@gatehouse/testkit/api-document'
import { asyncApiDocument, openApiDocument, recorded, recordedFrames } from '@gatehouse/testkit/documents'
import { readServiceRoutes } from '@gatehouse/testkit/routes'
import { recordExamples } from './examples/record.ts'

interface Media {
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

function examplesOf({ example, examples = {} }: Media): unknown[] {
  return example === undefined ? Object.values(examples).map(({ value }) => value) : [example]
}

interface Operation {
  operationId: string
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

/** Pages and images are not text that an example can show. */
const withoutExample = /^(image\/.*|application\/octet-stream|text\/html)$/

test('the examples of the API documents are what the service accepts, answers and sends', async t => {
  const { operations, frames } = await recordExamples(t)
  assert.deepEqual(operations, recorded, 'run `node tools/record-examples.ts`')
  assert.deepEqual(frames, recordedFrames, 'run `node tools/record-examples.ts`')
})

test('every frame and event of the gateway has a recorded example', () => {
  const { components } = asyncApiDocument('https://chat.example.org') as {
    components: { messages: Record<string, { examples: { name?: string; payload: unknown }[] }> }
  }
  const namesOf = (message: string) => components.messages[message]?.examples.map(({ name }) => name)
  for (const message of Object.keys(components.messages))
    assert.ok((namesOf(message)?.length ?? 0) > 0, message)
  assert.deepEqual(Object.keys(recordedFrames).sort(), Object.keys(components.messages).sort())
  assert.deepEqual(namesOf('INTERACTION_CREATE'), ['command', 'autocomplete', 'component', 'modal_submit'])
  assert.deepEqual(namesOf('READY'), ['user', 'bot'])
})

test('callbacks and interactions have an example of a message, a select menu and a modal', async () => {
  const document = openApiDocument(await readServiceRoutes(), 'https://chat.example.org')
  const paths = document.paths as Record<string, { post: Operation }>
  const bodiesOf = (path: string) =>
    paths[path]?.post.requestBody?.content['application/json']?.examples ?? {}
  const callbacks = bodiesOf('/api/interactions/{id}/{token}/callback')
  assert.deepEqual(Object.keys(callbacks), ['message', 'autocomplete', 'modal', 'update'])
  const uses = bodiesOf('/api/interactions')
  assert.deepEqual(Object.keys(uses), ['command', 'component', 'modal_submit'])
  assert.deepEqual((uses.component?.value as { values?: unknown } | undefined)?.values, ['evening'])
})

test('every operation has a request and a response as an example, which are valid for their schemas', async () => {
  const document = openApiDocument(await readServiceRoutes(), 'https://chat.example.org', { complete: true })
  const { findDifference } = createApiCheck(document as unknown as ApiDocument)
  const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
    ({ parameters: _, ...methods }) => Object.values(methods),
  )
  const findings: string[] = []
  function checkMedia(where: string, [type, media]: [string, Media]): void {
    if (withoutExample.test(type)) return
    const examples = examplesOf(media)
    if (examples.length === 0) findings.push(`${where} ${type} has no example`)
    for (const example of examples) {
      const difference = findDifference(media.schema, example)
      if (difference !== undefined) findings.push(`${where} ${type}:${difference}`)
    }
  }
  for (const { operationId, requestBody, responses } of operations) {
    if (!(operationId in recorded)) findings.push(`${operationId} has no example`)
    // One of the media types is enough.
    const bodies = Object.entries(requestBody?.content ?? {})
    const shownBodies = bodies.filter(([, media]) => examplesOf(media).length > 0)
    for (const media of shownBodies.length > 0 ? shownBodies : bodies) checkMedia(operationId, media)
    const successes = Object.entries(responses).filter(([status]) => status < '3')
    const shown = successes.filter(([, { content }]) =>
      Object.values(content ?? {}).some(({ example }) => example !== undefined),
    )
    // One of the two statuses of an operation is enough.
    for (const [status, { content }] of shown.length > 0 ? shown : successes)
      for (const media of Object.entries(content ?? {})) checkMedia(`${operationId}, ${status}`, media)
  }
  assert.deepEqual(findings, [])
  assert.ok(operations.length > 120, `${operations.length} operations`)
})

test('no example has a secret of the test or the address of this computer', () => {
  assert.doesNotMatch(JSON.stringify([recorded, recordedFrames]), /localhost|127\.0\.0\.1/)
})
