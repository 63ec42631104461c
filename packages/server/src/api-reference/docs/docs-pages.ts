import type { Translate } from '../../i18n/translate.ts'
import type {
  Content,
  GatewayMessage,
  Group,
  Operation,
  Reference,
  Response,
  Schema,
} from './docs-document.ts'
import { createSchemaView, type SchemaView } from './docs-schemas.ts'
import { type CatalogueEntry, errorsOf, listErrors } from './error-codes.ts'
import { type Html, html, join } from './html.ts'
import { writeMethod } from './layout.ts'
import { renderInline, renderText, writeCode } from './markdown.ts'
import { createExampleReader, type Sample, writeJson, writeSamples } from './samples.ts'

/** Longer lists of operations are omitted: nearly all operations have these errors. */
const maxListedOperations = 20

/** Renders the content of the pages that are generated from the API documents. */
export function createPages(reference: Reference) {
  const { schemas, securitySchemes, scopes } = reference
  const exampleOf = createExampleReader(schemas)
  const users = listUses(reference)

  function writeOperation(operation: Operation, t: Translate): Html {
    const view = createSchemaView(schemas, t)
    const { method, path, group, summary, description, requestBody, resolvedResponses } = operation
    const successes = resolvedResponses.filter(({ status }) => status < '4')
    return html`<article class="operation">
<div class="intro">
<p class="path-to"><a href="${group.href}" lang="en">${group.name}</a></p>
<h1 lang="en">${operation.title}</h1>
<p class="endpoint">${writeMethod(method)} <code>${path}</code></p>
<div class="lead" lang="en">${renderText(summary)}${description !== undefined && renderText(description)}</div>
<h2 id="callers">${t('docs.callers')}</h2>
${writeCallers(operation, t)}
</div>
${writeExamples(operation, t)}
<div class="details">
<div class="request">${writeParameters(operation, view, t)}
${requestBody && html`<h2 id="body">${t('docs.body')}</h2>${writeContents(requestBody.content, 'body', view, t)}`}</div>
<h2 id="responses">${t('docs.responses')}</h2>
${successes.map(({ status, response }) => writeResponse(status, response, view, t))}
${writeErrors(operation, t)}
</div>
</article>`
  }

  function writeCallers({ security, path }: Operation, t: Translate): Html {
    const accepted = new Set(security.flatMap(Object.keys))
    const isOpen =
      security.length === 0 || security.some(alternative => Object.keys(alternative).length === 0)
    const needed = security.flatMap(({ oauth }) => oauth ?? [])
    // `openid` is the same token as `oauth`.
    const rows = Object.entries(securitySchemes)
      .filter(([name]) => accepted.has(name) && name !== 'openid')
      .map(
        ([name, scheme]) =>
          html`<li lang="en">${renderInline(scheme.description)}${
            name === 'oauth' &&
            html` Scope: ${join(
              needed.map(scope => html`<code>${scope}</code>`),
              ' or ',
            )}.`
          }</li>`,
      )
    const open =
      rows.length > 0
        ? t('docs.orAnyone')
        : path.includes('{token}')
          ? t('docs.tokenInPath')
          : t('docs.anyone')
    return html`<ul class="callers">${rows}${
      isOpen && html`<li>${open}</li>`
    }</ul><p><a href="/docs#authentication">${t('docs.howToAuthenticate')}</a></p>`
  }

  function writeExamples(operation: Operation, t: Translate): Html {
    const samples = writeSamples(operation, reference, exampleOf)
    return html`<aside class="examples" aria-label="${t('docs.examples')}">
<h2>${t('docs.request')}</h2>
${samples.map(writeSample)}
${writeOtherBodies(operation, t)}
${operation.resolvedResponses
  .filter(({ status }) => status < '3')
  .map(({ status, response }) =>
    Object.entries(response.content ?? {})
      .filter(([type]) => type === 'application/json')
      .map(
        ([, content]) =>
          html`<h2>${t('docs.responseWith', { status })}</h2>${writeCode(writeJson(exampleOf(content)), 'json')}`,
      ),
  )}
</aside>`
  }

  /** The samples have the first example of the body. */
  function writeOtherBodies({ requestBody }: Operation, t: Translate): Html[] {
    const examples = Object.values(requestBody?.content ?? {}).flatMap(({ examples = {} }) =>
      Object.entries(examples),
    )
    return examples
      .slice(1)
      .map(
        ([name, { value }]) =>
          html`<details class="sample"><summary>${t('docs.body')} <code lang="en">${name}</code></summary>${writeCode(
            writeJson(value),
            'json',
          )}</details>`,
      )
  }

  function writeSample({ name, language, code }: Sample, index: number): Html {
    return html`<details class="sample" name="sample"${index === 0 && html` open`}><summary lang="en">${name}</summary>${writeCode(
      code,
      language,
    )}</details>`
  }

  function writeParameters({ parameters }: Operation, view: SchemaView, t: Translate): Html {
    const places = { path: t('docs.path'), query: t('docs.query'), header: t('docs.headers') }
    return html`${Object.entries(places).map(([place, title]) => {
      const members = parameters.filter(parameter => parameter.in === place)
      if (members.length === 0) return undefined
      return html`<h2 id="${place}">${title}</h2><ul class="fields">${members.map(
        ({ name, required = false, description, schema }) => {
          const described = description === undefined ? schema : { ...schema, description }
          return html`<li id="${view.claimId(`${place}-${name}`)}">${view.writeField({ name, required, schema: described })}</li>`
        },
      )}</ul>`
    })}`
  }

  /** The bodies by media type. Media types with the same schema are one. */
  function writeContents(
    contents: Readonly<Record<string, Content>>,
    prefix: string,
    view: SchemaView,
    t: Translate,
  ): Html {
    const groups = [
      ...Map.groupBy(Object.entries(contents), ([, { schema }]) => JSON.stringify(schema)).values(),
    ]
    return html`${groups.map(group => {
      const [first] = group
      const types = join(
        group.map(([type]) => html`<code>${type}</code>`),
        ', ',
      )
      return first && html`<p class="media">${types}</p>${writeSchema(first[1].schema, prefix, view, t)}`
    })}`
  }

  function writeSchema(schema: Schema, prefix: string, view: SchemaView, t: Translate): Html {
    const { description } = schema
    const limits = view.writeLimits(schema)
    return html`<p><span class="quiet">${t('docs.type')}</span> <span class="type" lang="en">${view.writeType(schema)}</span>${
      limits && html` <span class="limits" lang="en">${limits}</span>`
    }</p>${description !== undefined && html`<div lang="en">${renderText(description)}</div>`}${view.writeValues(
      schema,
    )}${view.writeMembers(schema, prefix)}`
  }

  function writeResponse(status: string, response: Response, view: SchemaView, t: Translate): Html {
    const headers = reference.headersOf(response)
    return html`<section class="response"><h3 id="${view.claimId(`response-${status}`)}"><code class="status">${status}</code> <span lang="en">${renderInline(
      response.description,
    )}</span></h3>${
      headers.length > 0 &&
      html`<details class="nested"><summary>${t('docs.responseHeaders')}</summary><ul class="fields">${headers.map(
        ({ name, description, schema }) =>
          html`<li><p class="member"><code class="name">${name}</code> <span class="type" lang="en">${view.writeType(schema)}</span></p>${
            description !== undefined && html`<div class="text" lang="en">${renderText(description)}</div>`
          }</li>`,
      )}</ul></details>`
    }${response.content && writeContents(response.content, `response-${status}`, view, t)}</section>`
  }

  function writeErrors({ resolvedResponses }: Operation, t: Translate): Html {
    const rows = resolvedResponses
      .filter(({ status }) => status >= '4')
      .map(({ status, response }) => {
        const errors = errorsOf(status, response)
        const headers = reference.headersOf(response).map(({ name }) => html`<code>${name}</code>`)
        const codes = errors.map(
          ({ code, id, meaning }) =>
            html`<div class="error-code"><a href="/docs/errors#${id}"><code>${code}</code></a> ${renderInline(meaning)}</div>`,
        )
        return html`<tr id="error-${status}"><th scope="row"><code class="status">${status}</code></th><td lang="en">${
          codes.length > 0 ? codes : renderInline(response.description)
        }${headers.length > 0 && html`<div class="quiet">${join(headers, ', ')}</div>`}</td></tr>`
      })
    return rows.length === 0
      ? html``
      : html`<h2 id="errors">${t('docs.errors')}</h2><table class="errors"><thead><tr><th scope="col">${t(
          'docs.status',
        )}</th><th scope="col">${t('docs.codes')}</th></tr></thead><tbody>${rows}</tbody></table>`
  }

  function writeGroup({ name, description, operations }: Group): Html {
    return html`<article><h1 lang="en">${name}</h1><div class="lead" lang="en">${renderText(description)}</div>${listOperations(operations)}</article>`
  }

  function listOperations(operations: readonly Operation[]): Html {
    return html`<ul class="operations" lang="en">${operations.map(
      ({ href, title, method, path, summary }) =>
        html`<li><a href="${href}">${title}</a> <span class="endpoint">${writeMethod(method)} <code>${path}</code></span><div class="quiet">${renderInline(
          summary,
        )}</div></li>`,
    )}</ul>`
  }

  function writeGroups(): Html {
    return html`${reference.groups.map(
      ({ href, name, description, operations }) =>
        html`<li><a href="${href}">${name}</a> <span class="quiet">${operations.length}</span><div class="quiet">${renderInline(
          description,
        )}</div></li>`,
    )}`
  }

  function writeGateway(t: Translate): Html {
    const { url, description, closeCodes, groups } = reference.gateway
    return html`<article><h1 lang="en">Gateway</h1>
<p class="endpoint"><code class="method">WebSocket</code> <code>${url}</code></p>
<div class="lead" lang="en">${renderText(description)}</div>
<p>${t('docs.gatewayGuide')} <a href="/docs/guides/bots#without-the-sdk" lang="en">Bots</a></p>
${groups.map(
  ({ summary, messages }) =>
    html`<h2 lang="en">${renderInline(summary)}</h2><ul class="operations" lang="en">${messages.map(
      ({ name, href, summary: text }) =>
        html`<li><a href="${href}"><code>${name}</code></a><div class="quiet">${text !== undefined && renderInline(text)}</div></li>`,
    )}</ul>`,
)}
<h2 id="close-codes">${t('docs.closeCodes')}</h2>
<table><thead><tr><th scope="col">${t('docs.code')}</th><th scope="col">${t('docs.meaning')}</th></tr></thead><tbody>${closeCodes.map(
      ({ code, description: meaning }) =>
        html`<tr id="close-${code}"><th scope="row"><code>${code}</code></th><td lang="en">${renderInline(meaning)}</td></tr>`,
    )}</tbody></table></article>`
  }

  function writeMessage(
    { name, summary, description, payload, examples = [] }: GatewayMessage,
    t: Translate,
  ): Html {
    const view = createSchemaView(schemas, t)
    const senders = reference.gateway.groups.filter(({ messages }) =>
      messages.some(message => message.name === name),
    )
    return html`<article class="operation">
<div class="intro">
<p class="path-to"><a href="/docs/gateway" lang="en">Gateway</a></p>
<h1 lang="en">${name}</h1>
<div class="lead" lang="en">${summary !== undefined && renderText(summary)}${description !== undefined && renderText(description)}
${senders.map(({ summary: text }) => renderText(text))}</div>
</div>
<aside class="examples" aria-label="${t('docs.examples')}"><h2>${t('docs.example')}</h2>${examples.map(
      ({ name: variant, payload: value }) =>
        html`${variant !== undefined && html`<h3><code lang="en">${variant}</code></h3>`}${writeCode(
          writeJson(value),
          'json',
        )}`,
    )}</aside>
<div class="details"><h2 id="frame">${t('docs.fields')}</h2>${writeSchema(payload, 'frame', view, t)}</div>
</article>`
  }

  function writeCatalogue(t: Translate): Html {
    return html`<article><h1>${t('docs.errors')}</h1><p><a href="/docs#errors">${t('docs.howToHandleErrors')}</a></p>${listErrors(
      reference,
    ).map(
      ({ title, entries }) =>
        html`<h2 lang="en">${renderInline(title)}</h2><table class="errors"><thead><tr><th scope="col">${t(
          'docs.code',
        )}</th><th scope="col">${t('docs.status')}</th><th scope="col">${t('docs.meaning')}</th></tr></thead><tbody>${entries.map(
          entry => writeCatalogueEntry(entry, t),
        )}</tbody></table>`,
    )}</article>`
  }

  function writeCatalogueEntry(
    { id, code, status, meaning, operations }: CatalogueEntry,
    t: Translate,
  ): Html {
    const count = t('docs.returnedBy', { count: operations.length })
    return html`<tr id="${id}"><th scope="row"><code>${code}</code></th><td><code class="status">${status}</code></td><td><span lang="en">${renderInline(meaning)}</span>${
      operations.length > maxListedOperations
        ? html`<div class="quiet">${count}</div>`
        : html`<details class="nested"><summary>${count}</summary>${listLinks(operations)}</details>`
    }</td></tr>`
  }

  function listLinks(targets: readonly { href: string; title: string }[]): Html {
    return html`<ul lang="en">${targets.map(({ href, title }) => html`<li><a href="${href}">${title}</a></li>`)}</ul>`
  }

  function writeObject(name: string, schema: Schema, t: Translate): Html {
    const view = createSchemaView(schemas, t)
    const used = users.get(name) ?? []
    // The description is at the top already.
    const { description, ...fields } = schema
    return html`<article class="operation">
<div class="intro">
<p class="path-to"><a href="/docs/objects">${t('docs.objects')}</a></p>
<h1 lang="en">${name}</h1>
${description !== undefined && html`<div class="lead" lang="en">${renderText(description)}</div>`}
</div>
<aside class="examples" aria-label="${t('docs.examples')}"><h2>${t('docs.example')}</h2>${writeCode(writeJson(exampleOf({ schema })), 'json')}</aside>
<div class="details"><h2 id="fields">${t('docs.fields')}</h2>${writeSchema(fields, 'field', view, t)}
${used.length > 0 && html`<h2 id="used">${t('docs.usedBy')}</h2>${listLinks(used)}`}</div>
</article>`
  }

  function writeObjects(t: Translate): Html {
    return html`<article><h1>${t('docs.objects')}</h1><ul class="operations" lang="en">${Object.entries(
      schemas,
    )
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(
        ([name, { description }]) =>
          html`<li><a href="/docs/objects/${name}">${name}</a><div class="quiet">${description !== undefined && renderInline(description)}</div></li>`,
      )}</ul></article>`
  }

  /** What the introduction has beside its text. */
  function writeStart(t: Translate): Html {
    return html`<p class="endpoint"><span class="method">${t('docs.baseUrl')}</span> <code>${reference.baseUrl}</code> <span class="quiet">${t('docs.version', { version: reference.version })}</span></p>`
  }

  function writeLists(t: Translate): Html {
    return html`<h2 id="operations">${t('docs.operations')}</h2><ul class="operations" lang="en">${writeGroups()}</ul>
<h2 id="scopes">${t('docs.scopes')}</h2><table><thead><tr><th scope="col">${t('docs.name')}</th><th scope="col">${t(
      'docs.meaning',
    )}</th></tr></thead><tbody lang="en">${Object.entries(scopes).map(
      ([name, text]) =>
        html`<tr><th scope="row"><code>${name}</code></th><td>${renderInline(text)}</td></tr>`,
    )}</tbody></table>`
  }

  return {
    writeOperation,
    writeGroup,
    writeGateway,
    writeMessage,
    writeCatalogue,
    writeObject,
    writeObjects,
    writeStart,
    writeLists,
  }
}

/** The operations, frames and objects that refer to each named schema. */
function listUses({
  operations,
  gateway,
  schemas,
}: Reference): Map<string, { href: string; title: string }[]> {
  const uses = new Map<string, { href: string; title: string }[]>()
  function add(part: unknown, user: { href: string; title: string }): void {
    for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const list = uses.get(name) ?? []
      uses.set(name, list)
      if (!list.some(({ href }) => href === user.href)) list.push(user)
    }
  }
  for (const { href, title, parameters, requestBody, resolvedResponses } of operations) {
    const successes = resolvedResponses.filter(({ status }) => status < '4')
    add([parameters, requestBody, successes], { href, title })
  }
  for (const { messages } of gateway.groups)
    for (const { href, name, payload } of messages) add(payload, { href, title: name })
  for (const [name, schema] of Object.entries(schemas))
    add(schema, { href: `/docs/objects/${name}`, title: name })
  return uses
}
