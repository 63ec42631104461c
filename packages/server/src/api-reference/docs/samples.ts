import { createExamples } from '../../http/openapi/schema-examples.ts'
import {
  type Content,
  type Json,
  nameOf,
  type Operation,
  type Reference,
  type Schema,
} from './docs-document.ts'
import { writeSdkSample } from './sdk-samples.ts'

export interface Sample {
  /** `curl`, `JavaScript`, … */
  name: string
  /** For the colours and the copied text: `sh`, `js`, … */
  language: string
  code: string
}

/** A request in a form from which every language is written. Values of variables are read from the environment. */
interface SampleRequest {
  method: string
  baseUrl: string
  /** Texts and variables, in turn. */
  path: readonly Part[]
  query: readonly (readonly [name: string, value: string])[]
  credential: Credential | undefined
  body: SampleBody | undefined
  /** What the successful response with a body has. */
  response: 'json' | 'text' | undefined
  /** Whether another successful response has no body. */
  mayBeEmpty: boolean
}

type Part = string | { variable: string }

type Credential =
  | { kind: 'header'; scheme: string; variable: string }
  | { kind: 'cookie'; name: string; variable: string }
  | { kind: 'basic'; user: string; password: string }

type SampleBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; fields: readonly (readonly [name: string, value: string])[] }
  | { kind: 'file'; type: string }

type ExampleReader = (content: Content) => unknown

/** The first recorded example, or one that is made from the schema. */
export function createExampleReader(schemas: Reference['schemas']): ExampleReader {
  const fromSchema = createExamples(schemas as Readonly<Record<string, Json>>)
  return ({ example, examples, schema }) => {
    if (example !== undefined) return example
    const [first] = Object.values(examples ?? {})
    return first === undefined ? fromSchema(schema as Json) : first.value
  }
}

/** The samples of an operation in each language. */
export function writeSamples(operation: Operation, reference: Reference, exampleOf: ExampleReader): Sample[] {
  const request = describeRequest(operation, reference, exampleOf)
  const sdk = writeSdkSample(operation.operationId, reference.baseUrl)
  return [
    { name: 'curl', language: 'sh', code: writeCurl(request) },
    { name: 'JavaScript', language: 'js', code: writeJavaScript(request) },
    { name: 'Python', language: 'python', code: writePython(request) },
    ...(sdk === undefined ? [] : [{ name: '@gatehouse/bot', language: 'ts', code: sdk }]),
  ]
}

function describeRequest(
  operation: Operation,
  reference: Reference,
  exampleOf: ExampleReader,
): SampleRequest {
  const successes = operation.resolvedResponses.filter(({ status }) => status.startsWith('2'))
  const responseTypes = successes.flatMap(({ response }) => Object.keys(response.content ?? {}))
  return {
    method: operation.method,
    baseUrl: reference.baseUrl,
    path: splitPath(operation.path),
    query: operation.parameters
      .filter(parameter => parameter.in === 'query' && parameter.required)
      .map(({ name, schema, example }) => [name, String(exampleOf({ schema, example }))]),
    credential: chooseCredential(operation, reference),
    body: chooseBody(operation, reference, exampleOf),
    response:
      responseTypes.length === 0 ? undefined : responseTypes.includes('application/json') ? 'json' : 'text',
    mayBeEmpty: successes.some(({ response }) => response.content === undefined),
  }
}

/** `/api/channels/{id}` reads the variable `CHANNEL_ID`, `{messageId}` reads `MESSAGE_ID`. */
function splitPath(path: string): Part[] {
  const segments = path.split('/')
  return path.split(/\{|\}/).map((part, i) => {
    if (i % 2 === 0) return part
    const before = segments
      .slice(0, segments.indexOf(`{${part}}`))
      .findLast(segment => /^[a-z]/.test(segment))
    const name = /[A-Z]/.test(part) ? part : `${(before ?? '').replace(/s$/, '')}_${part}`
    return { variable: toVariable(name) }
  })
}

function toVariable(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase()
}

/** The credential that a program most likely has. */
function chooseCredential({ security }: Operation, { securitySchemes }: Reference): Credential | undefined {
  const accepted = new Set(security.flatMap(Object.keys))
  if (accepted.has('client')) return { kind: 'basic', user: 'CLIENT_ID', password: 'CLIENT_SECRET' }
  if (security.some(alternative => Object.keys(alternative).length === 0)) return undefined
  if (accepted.has('bot')) return { kind: 'header', scheme: 'Bot', variable: 'BOT_TOKEN' }
  if (accepted.has('oauth')) return { kind: 'header', scheme: 'Bearer', variable: 'ACCESS_TOKEN' }
  const name = securitySchemes.session?.name
  return accepted.has('session') && name !== undefined
    ? { kind: 'cookie', name, variable: 'SESSION' }
    : undefined
}

function chooseBody(
  { requestBody }: Operation,
  { schemas }: Reference,
  exampleOf: ExampleReader,
): SampleBody | undefined {
  if (!requestBody) return undefined
  const entries = Object.entries(requestBody.content)
  const [type, content] = entries.find(([name]) => name === 'application/json') ?? entries[0] ?? []
  if (type === undefined || content === undefined) return undefined
  if (type.startsWith('image/')) return { kind: 'file', type }
  const isRecorded = content.example !== undefined || content.examples !== undefined
  const value = isRecorded ? exampleOf(content) : onlyRequired(exampleOf(content), content.schema, schemas)
  if (type === 'application/json') return { kind: 'json', value }
  const fields = Object.entries(value as Json)
    // The credential is in the header.
    .filter(([name]) => name !== 'client_id' && name !== 'client_secret')
    .map(([name, text]) => [name, typeof text === 'string' ? text : JSON.stringify(text)] as const)
  return { kind: 'form', fields }
}

/** An example from a schema has all members, which may exclude each other. */
function onlyRequired(value: unknown, schema: Schema, schemas: Reference['schemas']): unknown {
  const target = schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {})
  const { items, properties, required = [] } = target
  if (Array.isArray(value)) return items ? value.map(item => onlyRequired(item, items, schemas)) : value
  if (typeof value !== 'object' || value === null || !properties) return value
  const members = Object.entries(value)
  const kept = required.length > 0 ? members.filter(([name]) => required.includes(name)) : members.slice(0, 1)
  return Object.fromEntries(
    kept.map(([name, member]) => [name, onlyRequired(member, properties[name] ?? {}, schemas)]),
  )
}

const image = 'picture.png'

function writeCurl({ method, baseUrl, path, query, credential, body }: SampleRequest): string {
  const url = path.map(part => (typeof part === 'string' ? part : `$${part.variable}`)).join('')
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${baseUrl}${url}${writeQuery(query)}"`,
    ...(credential ? [curlCredential(credential)] : []),
    ...(body ? curlBody(body) : []),
  ]
  return lines.join(' \\\n  ')
}

function curlCredential(credential: Credential): string {
  switch (credential.kind) {
    case 'header':
      return `-H "Authorization: ${credential.scheme} $${credential.variable}"`
    case 'cookie':
      return `-b "${credential.name}=$${credential.variable}"`
    case 'basic':
      return `-u "$${credential.user}:$${credential.password}"`
  }
}

function curlBody(body: SampleBody): string[] {
  switch (body.kind) {
    case 'json':
      return ["-H 'Content-Type: application/json'", `-d ${quoteForShell(writeJson(body.value))}`]
    case 'form':
      return body.fields.map(([name, value]) => `--data-urlencode ${quoteForShell(`${name}=${value}`)}`)
    case 'file':
      return [`-H 'Content-Type: ${body.type}'`, `--data-binary @${image}`]
  }
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function writeQuery(query: SampleRequest['query']): string {
  return query.length === 0 ? '' : `?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`
}

/** The variables of the path and the credential. */
function variablesOf({ path, credential }: SampleRequest): string[] {
  const ofCredential =
    credential === undefined
      ? []
      : credential.kind === 'basic'
        ? [credential.user, credential.password]
        : [credential.variable]
  return [
    ...new Set([...ofCredential, ...path.flatMap(part => (typeof part === 'string' ? [] : [part.variable]))]),
  ]
}

function writeJavaScript(request: SampleRequest): string {
  const { method, baseUrl, path, query, credential, body, response, mayBeEmpty } = request
  const variables = variablesOf(request)
  const address = `${baseUrl}${path.map(part => (typeof part === 'string' ? part : `\${${part.variable}}`)).join('')}${writeQuery(query)}`
  const url = path.length > 1 ? `\`${address}\`` : `'${address}'`
  const headers = [
    ...(credential ? [javaScriptCredential(credential)] : []),
    ...(body?.kind === 'json' ? ["'Content-Type': 'application/json'"] : []),
    ...(body?.kind === 'file' ? [`'Content-Type': '${body.type}'`] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length === 0
      ? []
      : [`headers: {\n${headers.map(header => `    ${header},`).join('\n')}\n  },`]),
    ...(body ? [`body: ${javaScriptBody(body)},`] : []),
  ]
  const read = mayBeEmpty ? 'if (response.status !== 204) console.log(' : 'console.log('
  return [
    ...(body?.kind === 'file' ? ["import { readFile } from 'node:fs/promises'\n"] : []),
    ...(variables.length === 0 ? [] : [`const { ${variables.join(', ')} } = process.env\n`]),
    `const response = await fetch(${url}${options.length === 0 ? '' : `, {\n${options.map(option => `  ${option}`).join('\n')}\n}`})`,
    'if (!response.ok) throw new Error(await response.text())',
    ...(response ? [`${read}await response.${response}())`] : []),
  ].join('\n')
}

function javaScriptCredential(credential: Credential): string {
  switch (credential.kind) {
    case 'header':
      return `Authorization: \`${credential.scheme} \${${credential.variable}}\``
    case 'cookie':
      return `Cookie: \`${credential.name}=\${${credential.variable}}\``
    case 'basic':
      return `Authorization: \`Basic \${btoa(\`\${${credential.user}}:\${${credential.password}}\`)}\``
  }
}

function javaScriptBody(body: SampleBody): string {
  switch (body.kind) {
    case 'json':
      return `JSON.stringify(${indent(writeLiteral(body.value, javaScriptWords))})`
    case 'form': {
      const fields = Object.fromEntries(body.fields)
      return `new URLSearchParams(${indent(writeLiteral(fields, javaScriptWords))})`
    }
    case 'file':
      return `await readFile('${image}')`
  }
}

function writePython(request: SampleRequest): string {
  const { method, baseUrl, path, query, credential, body, response, mayBeEmpty } = request
  const hasVariables = path.length > 1
  const address = path
    .map(part => (typeof part === 'string' ? part : `{${pythonVariable(part.variable)}}`))
    .join('')
  const headers = {
    ...(credential?.kind === 'header'
      ? { Authorization: { code: `f"${credential.scheme} {${pythonVariable(credential.variable)}}"` } }
      : {}),
    ...(body?.kind === 'file' ? { 'Content-Type': { code: quoteForPython(body.type) } } : {}),
  }
  const written = Object.entries(headers).map(([name, { code }]) => `${quoteForPython(name)}: ${code}`)
  const callArguments = [
    `${hasVariables ? 'f' : ''}"${baseUrl}${address}"`,
    ...(query.length === 0 ? [] : [`params=${pythonValue(Object.fromEntries(query))}`]),
    ...(written.length === 0 ? [] : [`headers={${written.join(', ')}}`]),
    ...(credential?.kind === 'cookie'
      ? [`cookies={${quoteForPython(credential.name)}: ${pythonEnvironment(credential.variable)}}`]
      : []),
    ...(credential?.kind === 'basic'
      ? [`auth=(${pythonEnvironment(credential.user)}, ${pythonEnvironment(credential.password)})`]
      : []),
    ...(body ? [pythonBody(body)] : []),
  ]
  const read = mayBeEmpty ? 'if response.status_code != 204:\n    print(' : 'print('
  return [
    ...(variablesOf(request).length === 0 ? [] : ['import os']),
    'import requests\n',
    `response = requests.${method.toLowerCase()}(`,
    ...callArguments.map(argument => `    ${argument},`),
    ')',
    'response.raise_for_status()',
    ...(response ? [`${read}response.${response === 'json' ? 'json()' : 'text'})`] : []),
  ].join('\n')
}

function pythonVariable(name: string): string {
  return `os.environ['${name}']`
}

function pythonEnvironment(name: string): string {
  return `os.environ["${name}"]`
}

function pythonBody(body: SampleBody): string {
  switch (body.kind) {
    case 'json':
      return `json=${pythonValue(body.value)}`
    case 'form':
      return `data=${pythonValue(Object.fromEntries(body.fields))}`
    case 'file':
      return `data=open("${image}", "rb")`
  }
}

function pythonValue(value: unknown): string {
  return indent(indent(writeLiteral(value, pythonWords)))
}

interface Words {
  null: string
  true: string
  false: string
  string(text: string): string
  name(name: string): string
}

const javaScriptWords: Words = {
  null: 'null',
  true: 'true',
  false: 'false',
  string: quoteForJavaScript,
  name: name => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteForJavaScript(name)),
}

const pythonWords: Words = {
  null: 'None',
  true: 'True',
  false: 'False',
  string: quoteForPython,
  name: quoteForPython,
}

function quoteForJavaScript(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1)
  return `'${inner.replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`
}

/** The escapes of JSON are escapes of Python too, except those for surrogate pairs, which JSON.stringify does not write. */
function quoteForPython(text: string): string {
  return JSON.stringify(text)
}

/** A literal, on one line if it is short. */
function writeLiteral(value: unknown, words: Words): string {
  if (value === null || value === undefined) return words.null
  if (typeof value === 'boolean') return value ? words.true : words.false
  if (typeof value === 'string') return words.string(value)
  if (typeof value !== 'object') return String(value)
  const isList = Array.isArray(value)
  const items = isList
    ? value.map(item => writeLiteral(item, words))
    : Object.entries(value).map(([name, member]) => `${words.name(name)}: ${writeLiteral(member, words)}`)
  const [open, close] = isList ? '[]' : '{}'
  if (items.length === 0) return `${open}${close}`
  const space = isList || words === pythonWords ? '' : ' '
  const short = `${open}${space}${items.join(', ')}${space}${close}`
  if (short.length <= 60 && !short.includes('\n')) return short
  return `${open}\n${items.map(item => `  ${indent(item)},`).join('\n')}\n${close}`
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

/** JSON on one line if it is short. */
export function writeJson(value: unknown): string {
  const short = JSON.stringify(value) ?? ''
  return short.length <= 60 ? short : JSON.stringify(value, null, 2)
}
