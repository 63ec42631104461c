/** The OpenAPI and AsyncAPI documents. */
export { asyncApiDocument } from '../../server/src/http/openapi/asyncapi.ts'
export { openApiDocument } from '../../server/src/http/openapi/openapi-document.ts'
export { createSchemaWriter } from '../../server/src/http/openapi/openapi-schemas.ts'
