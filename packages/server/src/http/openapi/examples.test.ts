import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examples, messageExamples } from '@gatehouse/protocol/examples'
import { type ApiDocument, createApiCheck } from '@gatehouse/testkit/api-document'
import { startService } from '@gatehouse/testkit/service'
import { asyncApiDocument } from './asyncapi.ts'
import { openApiDocument } from './openapi-document.ts'

interface Schema {
  type?: unknown
  allOf?: unknown
}

interface AsyncApi {
  components: {
    schemas: Record<string, Schema>
    messages: Record<string, { payload: object; examples: { payload: unknown }[] }>
  }
}

interface Operation {
  operationId: string
  requestBody?: { content: Record<string, { schema: { $ref?: string; format?: string; items?: object } }> }
}

test('every named object, request body and message has one example, which is valid', async t => {
  const { routes } = await startService(t)
  const document = openApiDocument(routes, 'https://chat.example.org', {
    complete: true,
  }) as unknown as ApiDocument
  const { schemas: ofEvents, messages } = (
    asyncApiDocument('https://chat.example.org') as unknown as AsyncApi
  ).components
  const schemas: Record<string, Schema> = { ...ofEvents, ...document.components.schemas }
  const { findDifference } = createApiCheck({ ...document, components: { responses: {}, schemas } })
  const findings: string[] = []
  function check(name: string, schema: object, example: unknown): void {
    const difference = example === undefined ? ' no example' : findDifference(schema, example)
    if (difference !== undefined) findings.push(`${name}:${difference}`)
  }

  for (const [name, schema] of Object.entries(schemas)) {
    if (name in examples || schema.type === 'object' || schema.allOf) check(name, schema, examples[name])
  }
  for (const methods of Object.values(document.paths)) {
    for (const { operationId, requestBody } of Object.values(methods) as unknown as Operation[]) {
      for (const { schema } of Object.values(requestBody?.content ?? {})) {
        // The bytes of an image have none.
        if (schema.format !== 'binary')
          check(operationId, schema, examples[schema.$ref?.split('/').at(-1) ?? ''])
      }
    }
  }
  for (const [name, message] of Object.entries(messages))
    check(name, message.payload, message.examples[0]?.payload)
  for (const name of Object.keys(examples))
    if (!(name in schemas)) findings.push(`${name} is not in the documents`)
  for (const name of Object.keys(messageExamples))
    if (!(name in messages)) findings.push(`${name} is not a message`)
  assert.deepEqual(findings, [])
})
