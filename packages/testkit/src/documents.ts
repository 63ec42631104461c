/** The OpenAPI and AsyncAPI documents, and the recorded examples in them. */
export { asyncApiDocument } from '../../server/src/http/openapi/asyncapi.ts'
export { default as recorded } from '../../server/src/http/openapi/examples.json' with { type: 'json' }
export type { Example, FrameExample } from '../../server/src/http/openapi/examples.ts'
export { default as recordedFrames } from '../../server/src/http/openapi/gateway-examples.json' with {
  type: 'json',
}
export { openApiDocument } from '../../server/src/http/openapi/openapi-document.ts'
export { createSchemaWriter } from '../../server/src/http/openapi/openapi-schemas.ts'
