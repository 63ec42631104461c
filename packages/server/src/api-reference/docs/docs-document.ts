/** The parts of the API documents that the pages show. The documents are our own, so they are not validated. */

export type Json = Readonly<Record<string, unknown>>

export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  not?: Schema
  contentSchema?: Schema
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  'x-text'?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export interface Content {
  schema: Schema
  example?: unknown
  examples?: Readonly<Record<string, { summary?: string; value: unknown }>>
}

export interface Header {
  description?: string
  schema: Schema
}

export interface Response {
  description: string
  headers?: Readonly<Record<string, { $ref?: string } | Header>>
  content?: Readonly<Record<string, Content>>
}

/** Names of security schemes with scopes. `{}` is a request without credentials. */
export type Security = Readonly<Record<string, readonly string[]>>

interface DocumentedOperation {
  operationId: string
  tags: readonly [string]
  summary: string
  description?: string
  security: readonly Security[]
  parameters?: readonly ({ $ref?: string } | Parameter)[]
  requestBody?: { required?: boolean; description?: string; content: Readonly<Record<string, Content>> }
  responses: Readonly<Record<string, { $ref?: string } | Response>>
}

export interface SecurityScheme {
  type: string
  description: string
  in?: string
  name?: string
  flows?: { authorizationCode: { scopes: Readonly<Record<string, string>> } }
}

interface OpenApi {
  info: { version: string; description: string }
  servers: readonly [{ url: string }]
  tags: readonly { name: string; description: string }[]
  /** Operations by their methods, and the parameters in the path. */
  paths: Readonly<
    Record<string, { parameters?: DocumentedOperation['parameters'] } & Readonly<Record<string, unknown>>>
  >
  components: {
    securitySchemes: Readonly<Record<string, SecurityScheme>>
    headers: Readonly<Record<string, Header>>
    parameters: Readonly<Record<string, Parameter>>
    responses: Readonly<Record<string, Response>>
    schemas: Readonly<Record<string, Schema>>
  }
}

export interface Message {
  name: string
  summary?: string
  description?: string
  payload: Schema
  examples?: readonly { name?: string; payload: unknown }[]
}

interface AsyncApi {
  info: { description: string }
  servers: { gateway: { host: string; protocol: string } }
  channels: {
    gateway: {
      address: string
      description: string
      'x-close-codes': readonly { code: number; description: string }[]
    }
  }
  operations: Readonly<Record<string, { summary: string; messages: readonly { $ref: string }[] }>>
  components: { messages: Readonly<Record<string, Message>>; schemas: Readonly<Record<string, Schema>> }
}

/** An operation with the address of its page. */
export interface Operation extends Omit<DocumentedOperation, 'parameters'> {
  parameters: readonly Parameter[]
  title: string
  group: Group
  href: string
  method: string
  path: string
  resolvedResponses: readonly { status: string; response: Response }[]
}

export interface Group {
  name: string
  description: string
  href: string
  operations: Operation[]
}

export interface GatewayMessage extends Message {
  href: string
}

export interface GatewayGroup {
  summary: string
  messages: readonly GatewayMessage[]
}

export type Reference = ReturnType<typeof readDocuments>

/** Reads the objects of `/api/openapi.json` and `/api/asyncapi.json`. */
export function readDocuments(openApiJson: Json, asyncApiJson: Json) {
  const openApi = openApiJson as unknown as OpenApi
  const asyncApi = asyncApiJson as unknown as AsyncApi
  const { components } = openApi

  function resolve<Component extends object>(
    part: { $ref?: string } | Component,
    named: Readonly<Record<string, Component>>,
  ): Component {
    const name = '$ref' in part && part.$ref !== undefined ? nameOf(part.$ref) : undefined
    const found = name === undefined ? (part as Component) : named[name]
    if (found === undefined) throw new Error(`the document has no component ${name}`)
    return found
  }

  const groups = openApi.tags.map(
    (tag): Group => ({
      ...tag,
      href: `/docs/api/${slugOf(tag.name)}`,
      operations: [],
    }),
  )
  const groupsByName = new Map(groups.map(group => [group.name, group]))
  for (const [path, { parameters: inPath = [], ...methods }] of Object.entries(openApi.paths)) {
    for (const [method, operation] of Object.entries(methods as Record<string, DocumentedOperation>)) {
      const group = groupsByName.get(operation.tags[0])
      group?.operations.push({
        ...operation,
        title: titleOf(operation.operationId),
        group,
        href: `${group.href}/${slugOf(operation.operationId)}`,
        method: method.toUpperCase(),
        path,
        parameters: [...inPath, ...(operation.parameters ?? [])].map(part =>
          resolve(part, components.parameters),
        ),
        resolvedResponses: Object.entries(operation.responses).map(([status, response]) => ({
          status,
          response: resolve(response, components.responses),
        })),
      })
    }
  }

  const { gateway } = asyncApi.channels
  return {
    version: openApi.info.version,
    baseUrl: openApi.servers[0].url,
    groups,
    operations: groups.flatMap(group => group.operations),
    securitySchemes: components.securitySchemes,
    scopes: components.securitySchemes.oauth?.flows?.authorizationCode.scopes ?? {},
    // The same names mean the same schemas in both documents.
    schemas: { ...asyncApi.components.schemas, ...components.schemas },
    headersOf: ({ headers = {} }: Response) =>
      Object.entries(headers).map(([name, header]) => ({ name, ...resolve(header, components.headers) })),
    gateway: {
      url: `${asyncApi.servers.gateway.protocol}://${asyncApi.servers.gateway.host}${gateway.address}`,
      description: `${asyncApi.info.description} ${gateway.description}`,
      closeCodes: gateway['x-close-codes'],
      groups: Object.values(asyncApi.operations).map(
        ({ summary, messages }): GatewayGroup => ({
          summary,
          messages: messages.map(({ $ref }) => {
            const message = asyncApi.components.messages[nameOf($ref)]
            if (!message) throw new Error(`the document has no message ${$ref}`)
            return { ...message, href: `/docs/gateway/${message.name}` }
          }),
        }),
      ),
    },
  }
}

export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** `createMessage` is `Create message`. */
function titleOf(id: string): string {
  const words = id.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `createMessage` is `create-message`, `Second factor` is `second-factor`. */
function slugOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(' ', '-')
    .toLowerCase()
}
