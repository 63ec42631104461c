import { asyncApiDocument, openApiDocument } from '@gatehouse/testkit/documents'
import type { Route } from '@gatehouse/testkit/routes'
import { createConfig, lintFromString } from '@redocly/openapi-core'

/** Findings that are accepted, with the reasons. */
const accepted: readonly { rule: string; at: RegExp; reason: string }[] = [
  {
    rule: 'operation-2xx-response',
    at: /^#\/paths\/~1oauth2~1(authorize|logout)\/post\//,
    reason: 'the endpoint only redirects',
  },
]

/** Lints the API documents with the strict rules of Redocly. */
export async function checkApiDocuments(routes: readonly Route[]): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const baseUrl = 'https://chat.example.org'
  const documents = {
    'openapi.json': openApiDocument(routes, baseUrl),
    'asyncapi.json': asyncApiDocument(baseUrl),
  }
  const problems = await Promise.all(
    Object.entries(documents).map(([absoluteRef, document]) =>
      lintFromString({ source: JSON.stringify(document), absoluteRef, config }),
    ),
  )
  return problems
    .flat()
    .map(({ ruleId, message, location: [first] }) => ({ ruleId, message, at: first?.pointer ?? '' }))
    .filter(({ ruleId, at }) => !accepted.some(finding => finding.rule === ruleId && finding.at.test(at)))
    .map(({ ruleId, message, at }) => `${at}: ${message} (${ruleId})`)
}
