import type { Translate } from '../../i18n/translate.ts'
import { nameOf, type Schema } from './docs-document.ts'
import { type Html, html, join } from './html.ts'
import { renderText } from './markdown.ts'

/** Deeper fields are on the page of their object. */
const maxDepth = 4

/** More values than this are folded. */
const maxShownValues = 12

interface Member {
  name: string
  schema: Schema
  required: boolean
}

/** What a schema contains: the members of an object, or several objects to choose from. */
type Shape =
  | { name: string | undefined; members: readonly Member[] }
  | { name: string | undefined; variants: readonly { label: Html; schema: Schema }[] }

export type SchemaView = ReturnType<typeof createSchemaView>

/** Renders schemas of the API documents for one page. `schemas` are the named ones. */
export function createSchemaView(schemas: Readonly<Record<string, Schema>>, t: Translate) {
  const ids = new Set<string>()

  /** An id that no other element of the page has. */
  function claimId(wanted: string): string {
    const base = wanted.replace(/[^A-Za-z0-9_-]+/g, '-')
    let id = base
    for (let count = 2; ids.has(id); count++) id = `${base}-${count}`
    ids.add(id)
    return id
  }

  /** The schema that a reference refers to, with its name. */
  function follow(schema: Schema): { name: string | undefined; schema: Schema } {
    if (schema.$ref === undefined) return { name: undefined, schema }
    const name = nameOf(schema.$ref)
    return { name, schema: follow(schemas[name] ?? {}).schema }
  }

  function shapeOf(schema: Schema): Shape | undefined {
    const { name, schema: target } = follow(schema)
    const members = membersOf(target)
    if (members.length > 0) return { name, members }
    const choices = choicesOf(target)
    const [first, second] = choices
    if (first && !second) {
      const shape = shapeOf(first)
      return shape && { ...shape, name: shape.name ?? name }
    }
    if (choices.some(choice => shapeOf(choice) !== undefined))
      return { name, variants: choices.map(choice => ({ label: labelOf(choice), schema: choice })) }
    const inner = target.items ?? mapValuesOf(target) ?? target.contentSchema
    return inner && shapeOf(inner)
  }

  function membersOf(schema: Schema): Member[] {
    const parts = (schema.allOf ?? []).map(part => follow(part).schema)
    const required = [schema, ...parts].flatMap(part => part.required ?? [])
    const merged = new Map<string, Schema>()
    for (const [name, member] of [...parts, schema].flatMap(part => Object.entries(part.properties ?? {})))
      merged.set(name, { ...merged.get(name), ...member })
    return [...merged].map(([name, member]) => ({ name, schema: member, required: required.includes(name) }))
  }

  /** What a variant is called: the value that tells it from the others, or its type. */
  function labelOf(variant: Schema): Html {
    const fixed = membersOf(follow(variant).schema).find(({ schema }) => valuesOf(schema)?.length === 1)
    const [value] = (fixed && valuesOf(fixed.schema)) ?? []
    const type = writeType(variant)
    return fixed ? html`${type}, <code>${fixed.name}</code> ${JSON.stringify(value)}` : type
  }

  /** The type in words, with links to named objects. */
  function writeType(schema: Schema): Html {
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref)
      const link = html`<a href="/docs/objects/${name}">${name}</a>`
      const target = schemas[name] ?? {}
      return target.type === 'object' || choicesOf(target).length > 0
        ? link
        : html`${writeType(target)} (${link})`
    }
    const choices = schema.anyOf ?? schema.oneOf
    if (choices && !schema.properties) return join(uniqueBy(choices.map(writeType)), ' or ')
    if (schema.allOf)
      return join(schema.allOf.filter(part => part.$ref !== undefined).map(writeType), ' and ')
    const values = valuesOf(schema)
    const types = schema.type === undefined ? typesOf(values ?? []) : [schema.type].flat()
    if (types.length === 0) return html`any value`
    return join(
      types.map(type => writeSingleType(type, schema)),
      ' or ',
    )
  }

  function writeSingleType(type: string, schema: Schema): Html {
    if (type === 'array') return schema.items ? html`array of ${writeType(schema.items)}` : html`array`
    const values = type === 'object' && mapValuesOf(schema)
    return values ? html`object whose members are ${writeType(values)}` : html`${type}`
  }

  /** What the value must fulfil, besides its type. */
  function writeLimits(schema: Schema): Html | undefined {
    const { schema: target } = follow(schema)
    const [only, second] = choicesOf(target)
    const limited = only && !second ? follow(only).schema : target
    const items = limited.items && follow(limited.items).schema
    // The page of a named text has its pattern.
    const { pattern: _, ...withoutPattern } = limited
    const shown = target === schema ? limited : withoutPattern
    const parts = [...limitsOf(shown), ...(items ? limitsOf(items).map(limit => html`each ${limit}`) : [])]
    return parts.length === 0 ? undefined : join(parts, '; ')
  }

  /** The members of the schema as a list. Undefined if it has none. `parents` are the names that contain it. */
  function writeMembers(schema: Schema, prefix: string, parents: readonly string[] = []): Html | undefined {
    const shape = shapeOf(schema)
    if (!shape) return undefined
    const inside = shape.name === undefined ? parents : [...parents, shape.name]
    if ('variants' in shape) {
      return html`<ul class="fields">${shape.variants.map(({ label, schema: variant }) => {
        const id = claimId(`${prefix}-variant`)
        const members = canExpand(variant, inside) ? writeMembers(variant, id, inside) : undefined
        return html`<li id="${id}"><p class="member"><span class="type" lang="en">${label}</span></p>${
          members && fold(members, html`${t('docs.showFields')}`)
        }</li>`
      })}</ul>`
    }
    return html`<ul class="fields">${shape.members.map(member => writeMember(member, prefix, inside))}</ul>`
  }

  function writeMember({ name, schema, required }: Member, prefix: string, parents: readonly string[]): Html {
    const id = claimId(`${prefix}-${name}`)
    return html`<li id="${id}">${writeField({ name, schema, required })}${writeNested(schema, id, parents)}</li>`
  }

  /** The name, type, description and limits of a member or parameter. */
  function writeField({ name, schema, required }: Member): Html {
    const limits = writeLimits(schema)
    const description = schema.description ?? follow(schema).schema.description
    const badge = required
      ? html`<span class="badge required">${t('docs.required')}</span>`
      : html`<span class="badge">${t('docs.optional')}</span>`
    return html`<p class="member"><code class="name">${name}</code> <span class="type" lang="en">${writeType(
      schema,
    )}</span> ${badge}</p>${
      description !== undefined && html`<div class="text" lang="en">${renderText(description)}</div>`
    }${limits && html`<p class="limits" lang="en">${limits}</p>`}${writeValues(schema)}`
  }

  function writeValues(schema: Schema): Html | undefined {
    const { schema: target } = follow(schema)
    const [only, second] = choicesOf(target)
    const values =
      valuesOf(only && !second ? follow(only).schema : target) ??
      (target.items && valuesOf(follow(target.items).schema))
    if (!values) return undefined
    const list = html`<span lang="en">${join(
      values.map(value => html`<code>${JSON.stringify(value)}</code>`),
      ' ',
    )}</span>`
    return values.length > maxShownValues
      ? fold(html`<p class="values">${list}</p>`, html`${t('docs.values', { count: values.length })}`)
      : html`<p class="values">${values.length === 1 ? t('docs.always') : t('docs.oneOf')} ${list}</p>`
  }

  function writeNested(schema: Schema, id: string, parents: readonly string[]): Html | undefined {
    const shape = shapeOf(schema)
    if (!shape || !canExpand(schema, parents)) return undefined
    const members = writeMembers(schema, id, parents)
    const summary =
      shape.name === undefined
        ? html`${t('docs.showFields')}`
        : html`${t('docs.showFieldsOf')} <span lang="en">${shape.name}</span>`
    return members && fold(members, summary)
  }

  /** False for an object inside itself, and where the page would become too deep: the type links to the page of the object. */
  function canExpand(schema: Schema, parents: readonly string[]): boolean {
    const name = shapeOf(schema)?.name
    return name === undefined || (!parents.includes(name) && parents.length < maxDepth)
  }

  return { claimId, writeType, writeLimits, writeMembers, writeField, writeValues, writeNested }
}

function fold(content: Html, summary: Html): Html {
  return html`<details class="nested"><summary>${summary}</summary>${content}</details>`
}

/** The alternatives without `null`. */
function choicesOf({ anyOf, oneOf }: Schema): readonly Schema[] {
  return (oneOf ?? anyOf ?? []).filter(({ type }) => type !== 'null')
}

/** The schema of the values if the object has members with any name. */
function mapValuesOf({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum
}

function typesOf(values: readonly unknown[]): string[] {
  return [...new Set(values.map(value => (value === null ? 'null' : typeof value)))]
}

function uniqueBy(items: readonly Html[]): Html[] {
  return [...new Map(items.map(item => [item.text, item])).values()]
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'ISO 8601 date and time',
  uri: 'URL',
  email: 'email address',
  binary: 'bytes',
}

/** What the service does with a string before it counts the length (`x-text`). */
const textModes: Readonly<Record<string, string>> = {
  keep: 'not trimmed',
  name: 'trimmed, without invisible characters',
  lines: 'trimmed, without invisible characters except line breaks',
}

function limitsOf(schema: Schema): Html[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, format, pattern } = schema
  const texts = [
    range(minLength, maxLength, 'character'),
    range(minimum, maximum),
    range(minItems, maxItems, 'item'),
    schema.uniqueItems && 'no duplicates',
    format !== undefined && (formats[format] ?? format),
    schema['x-text'] !== undefined && textModes[schema['x-text']],
  ]
  return [
    ...texts.filter(text => typeof text === 'string').map(text => html`${text}`),
    ...(pattern === undefined ? [] : [html`pattern <code>${pattern}</code>`]),
    ...(schema.default === undefined ? [] : [html`default <code>${JSON.stringify(schema.default)}</code>`]),
  ]
}

function range(min: number | undefined, max: number | undefined, unit = ''): string | undefined {
  // No string or list is shorter.
  const lower = unit !== '' && min === 0 ? undefined : min
  const write = (bound: number) => (unit === '' ? `${bound}` : `${bound} ${unit}${bound === 1 ? '' : 's'}`)
  if (lower === undefined) return max === undefined ? undefined : `at most ${write(max)}`
  if (max === undefined) return `at least ${write(lower)}`
  return lower === max ? `exactly ${write(max)}` : `${lower} to ${write(max)}`
}
