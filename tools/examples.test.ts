import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiDocument, createApiCheck } from '@gatehouse/testkit/api-document'
import { openApiDocument } from '../packages/server/src/http/openapi/document.ts'
import recorded from '../packages/server/src/http/openapi/examples.json' with { type: 'json' }
import { recordExamples } from './examples/record.ts'
import { readServiceRoutes } from './service-routes.ts'

interface Media {
  schema: object
  example?: unknown
}

interface Operation {
  operationId: string
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

/** Pages and images are not text that an example can show. */
const withoutExample = /^(image\/.*|text\/html)$/

test('the examples of the API document are what the service accepts and answers', async t => {
  assert.deepEqual(await recordExamples(t), recorded, 'run `node tools/record-examples.ts`')
})

test('every operation has a request and a response as an example, which are valid for their schemas', async () => {
  const document = openApiDocument(await readServiceRoutes(), 'https://chat.example.org', { complete: true })
  const { findDifference } = createApiCheck(document as unknown as ApiDocument)
  const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
    ({ parameters: _, ...methods }) => Object.values(methods),
  )
  const findings: string[] = []
  function checkMedia(where: string, [type, { schema, example }]: [string, Media]): void {
    if (withoutExample.test(type)) return
    if (example === undefined) findings.push(`${where} ${type} has no example`)
    else {
      const difference = findDifference(schema, example)
      if (difference !== undefined) findings.push(`${where} ${type}:${difference}`)
    }
  }
  for (const { operationId, requestBody, responses } of operations) {
    if (!(operationId in recorded)) findings.push(`${operationId} has no example`)
    // One of the media types is enough.
    const bodies = Object.entries(requestBody?.content ?? {})
    const shownBodies = bodies.filter(([, { example }]) => example !== undefined)
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
  assert.doesNotMatch(JSON.stringify(recorded), /localhost|127\.0\.0\.1/)
})
