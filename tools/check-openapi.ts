import { createConfig, lintFromString } from '@redocly/openapi-core'
import { asyncApiDocument } from '../packages/server/src/http/openapi/asyncapi.ts'
import { openApiDocument } from '../packages/server/src/http/openapi/document.ts'
import { readServiceRoutes } from './service-routes.ts'

/** `npm run check`: lints the API documents with the strict rules of Redocly. */

/** Findings that are accepted, with the reasons. */
const accepted: readonly { rule: string; at: RegExp; reason: string }[] = [
  {
    rule: 'operation-2xx-response',
    at: /^#\/paths\/~1oauth2~1(authorize|logout)\/post\//,
    reason: 'the endpoint only redirects',
  },
]

const config = await createConfig({ extends: ['recommended-strict'] })
const baseUrl = 'https://chat.example.org'
const documents = {
  'openapi.json': openApiDocument(await readServiceRoutes(), baseUrl),
  'asyncapi.json': asyncApiDocument(baseUrl),
}
const problems = await Promise.all(
  Object.entries(documents).map(([absoluteRef, document]) =>
    lintFromString({ source: JSON.stringify(document), absoluteRef, config }),
  ),
)
const unexpected = problems
  .flat()
  .map(({ ruleId, message, location: [first] }) => ({ ruleId, message, at: first?.pointer ?? '' }))
  .filter(({ ruleId, at }) => !accepted.some(finding => finding.rule === ruleId && finding.at.test(at)))
for (const { ruleId, message, at } of unexpected) console.log(`${at}: ${message} (${ruleId})`)
process.exitCode = unexpected.length > 0 ? 1 : 0
