import * as v from 'valibot'
import {
  invalidText,
  mustBe,
  oneOf as notOneOf,
  outOfRange,
  type Path,
  required,
  tooFew,
  tooLong,
  tooMany,
  tooShort,
  unknownMember,
  type Violation,
  type ViolationDetails,
} from './field-errors.ts'
import { isJsonObject } from './json-object.ts'
import { maxUrl } from './limits.ts'
import { cleaners, codePoints, isLonger, isValidText } from './text.ts'
import { findUrlViolation } from './urls.ts'

/**
 * Builders for the definitions of wire objects, on Valibot. A definition gives the type (`v.InferOutput`), the JSON Schema of the API
 * document (`http/json-schema.ts` of the service), the validation with all violations, and the normalized value (`parse`).
 * The builders report violations with our codes, and add the description and the limits to the metadata of the schema.
 */

/** Any definition. */
export type Schema = v.GenericSchema<unknown, unknown>

/** Schemas of TypeBox can contain a definition. While definitions of two kinds exist. */
type Both<S extends Schema> = S & { '~unsafe': v.InferOutput<S> }

/** The keywords of JSON Schema that a builder adds, for the API document. */
type Keywords = Readonly<Record<string, unknown>>

/** A Valibot issue with our code, message and facts. */
export interface ViolationIssue extends v.BaseIssue<unknown> {
  violation: ViolationDetails
}

/** The dataset of Valibot: the value so far, and its issues. */
interface Dataset {
  typed?: boolean
  value: unknown
  issues?: v.BaseIssue<unknown>[]
}

type Config = v.Config<v.BaseIssue<unknown>>

/** Adds a violation. The value stays, and its other rules are still checked. */
function report(dataset: Dataset, violation: ViolationDetails, path: Path = []): void {
  const issue = {
    kind: 'validation',
    type: 'violation',
    input: undefined,
    expected: null,
    received: '',
    message: violation.message,
    violation,
    ...(path.length === 0 ? {} : { path: path.map(pathItem) }),
  } as unknown as ViolationIssue
  add(dataset, issue)
}

function add(dataset: Dataset, issue: v.BaseIssue<unknown>): void {
  if (dataset.issues) dataset.issues.push(issue)
  else dataset.issues = [issue]
}

/** Adds a violation because of which there is no value. */
function reject(dataset: Dataset, violation: ViolationDetails): Dataset {
  report(dataset, violation)
  dataset.typed = false
  dataset.value = undefined
  return dataset
}

function accept(dataset: Dataset, value: unknown): Dataset {
  dataset.typed = true
  dataset.value = value
  return dataset
}

function pathItem(key: string | number): v.IssuePathItem {
  return { type: 'unknown', origin: 'value', input: undefined, key, value: undefined }
}

/** Runs the validation of `schema`, whose types of datasets are stricter than needed here. */
function run(schema: Schema, dataset: Dataset, config: Config): Dataset {
  return schema['~run'](dataset as never, config) as Dataset
}

/** `base` with another validation. */
function withRun<S>(base: S, validate: (dataset: Dataset, config: Config) => Dataset): S {
  return { ...base, '~run': validate } as S
}

/** `base`, whose values are those without a violation. */
function leaf<S>(base: S, find: (value: unknown) => ViolationDetails | undefined): S {
  return withRun(base, dataset => {
    const violation = find(dataset.value)
    return violation === undefined ? accept(dataset, dataset.value) : reject(dataset, violation)
  })
}

/** Adds keywords and a description for the API document. Does not change the validation or the type. */
function annotated<S extends Schema>(
  schema: S,
  description: string | undefined,
  keywords: Keywords = {},
): Both<S> {
  const items = [
    ...(Object.keys(keywords).length === 0 ? [] : [v.metadata(keywords)]),
    ...(description === undefined ? [] : [v.description(description)]),
  ]
  // Not `v.pipe`: metadata needs no step in the validation.
  return (items.length === 0 ? schema : { ...schema, pipe: [schema, ...items] }) as Both<S>
}

/** A copy of `schema` with the description of one member. In the API document it is still a reference to `schema`. */
/* @__NO_SIDE_EFFECTS__ */
export function described<S extends Schema>(schema: S, description: string): S {
  return annotated(schema, description)
}

/** Adds keywords for the API document, which change nothing else: `format`, or what an operation checks itself. */
/* @__NO_SIDE_EFFECTS__ */
export function keywords<S extends Schema>(schema: S, added: Keywords): Both<S> {
  return annotated(schema, undefined, added)
}

/** A string of a response. `keywords`: more of its JSON Schema, such as `format`. */
/* @__NO_SIDE_EFFECTS__ */
export function string(description?: string, keywords?: Keywords): Both<v.StringSchema<undefined>> {
  return annotated(
    leaf(v.string(), value => (typeof value === 'string' ? undefined : mustBe('string'))),
    description,
    keywords,
  )
}

/* @__NO_SIDE_EFFECTS__ */
export function boolean(description?: string): Both<v.BooleanSchema<undefined>> {
  return annotated(
    leaf(v.boolean(), value => (typeof value === 'boolean' ? undefined : mustBe('boolean'))),
    description,
  )
}

/** A string that contains JSON. */
/* @__NO_SIDE_EFFECTS__ */
export function jsonText(schema: Schema, description: string): Both<v.StringSchema<undefined>> {
  return string(description, { contentMediaType: 'application/json', contentSchema: schema })
}

interface Range {
  min?: number
  max?: number
}

interface NumberRule extends Range {
  /** For the document. The operation applies it. */
  default?: number
}

function numberOf(
  type: 'integer' | 'number',
  { min, max, default: byDefault }: NumberRule,
  description: string | undefined,
) {
  const find = (value: unknown) => {
    if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value))) return mustBe(type)
    return value < (min ?? value) || value > (max ?? value) ? outOfRange(min, max) : undefined
  }
  return annotated(leaf(v.number(), find), description, {
    type,
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(byDefault !== undefined && { default: byDefault }),
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function integer(description?: string, rule: NumberRule = {}): Both<v.NumberSchema<undefined>> {
  return numberOf('integer', rule, description)
}

/* @__NO_SIDE_EFFECTS__ */
export function number(description?: string, rule: NumberRule = {}): Both<v.NumberSchema<undefined>> {
  return numberOf('number', rule, description)
}

/** A string that is one of `values`. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const Value extends string>(
  values: readonly Value[],
  description?: string,
): Both<v.PicklistSchema<readonly Value[], undefined>> {
  const find = (value: unknown) => (values.includes(value as Value) ? undefined : notOneOf(values))
  return annotated(leaf(v.picklist(values), find), description)
}

/** The one value of a member, such as that of `type`. */
/* @__NO_SIDE_EFFECTS__ */
export function constant<const Value extends string | number | boolean>(
  value: Value,
  description?: string,
): Both<v.LiteralSchema<Value, undefined>> {
  const find = (given: unknown) => (given === value ? undefined : notOneOf([value as string]))
  return annotated(leaf(v.literal(value), find), description)
}

export interface TextRule {
  /** In code points, after cleaning. */
  min?: number
  max?: number
  /** How the string is changed before its length is counted (`cleaners`). `trim` by default. */
  clean?: 'trim' | 'keep' | 'name' | 'lines'
  pattern?: RegExp
  description?: string
  /** What an empty text is, besides too short. `absent`: like an absent member. `required`: null too is a missing member. */
  empty?: 'absent' | 'required'
}

/**
 * A string that a user or program wrote: without U+0000 and lone surrogates, cleaned, and then counted in code points
 * (limits/text-length). Codes: `invalid_type`, `invalid_text`, `too_short`, `too_long`, `invalid_format`, `required`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function text(rule: TextRule): Both<v.StringSchema<undefined>> {
  const { min, max, clean = 'trim', pattern, description, empty } = rule
  const cleaner = cleaners[clean]
  const badForm = invalidFormat(description ?? String(pattern?.source))
  const validate = (dataset: Dataset): Dataset => {
    const given = dataset.value
    if (empty === 'required' && given === null) return reject(dataset, required)
    if (typeof given !== 'string') return reject(dataset, mustBe('string'))
    if (!isValidText(given)) {
      reject(dataset, invalidText)
      if (pattern && !pattern.test(given)) report(dataset, badForm)
      return dataset
    }
    const value = cleaner(given)
    if (value === '' && empty === 'absent') return accept(dataset, undefined)
    if (value === '' && empty === 'required') return reject(dataset, required)
    accept(dataset, value)
    // White space is an empty text. Other text without visible characters is an error.
    if (value === '' && given.trim() !== '') report(dataset, tooShort(1, 'visible character'))
    else if (min !== undefined && isShorter(value, min)) report(dataset, tooShort(min))
    if (max !== undefined && isLonger(value, max)) report(dataset, tooLong(max))
    if (pattern && !pattern.test(value)) report(dataset, badForm)
    return dataset
  }
  return annotated(withRun(v.string(), validate), description, {
    'x-text': clean,
    ...(min !== undefined && { minLength: min }),
    ...(max !== undefined && { maxLength: max }),
    ...(pattern && { pattern: pattern.source }),
  })
}

function isShorter(value: string, min: number): boolean {
  return value.length < 2 * min && codePoints(value) < min
}

/** A string of fixed form that is not text, such as an id: not cleaned. */
/* @__NO_SIDE_EFFECTS__ */
export function pattern(form: RegExp, description: string): Both<v.StringSchema<undefined>> {
  const violation = invalidFormat(description)
  const find = (value: unknown) => {
    if (typeof value !== 'string') return mustBe('string')
    return form.test(value) ? undefined : violation
  }
  return annotated(leaf(v.string(), find), description, { pattern: form.source })
}

function invalidFormat(description: string): ViolationDetails {
  return { code: 'invalid_format', message: `must have this form: ${description.replace(/\.$/, '')}` }
}

/** Runs the definition of a member or an entry, and adds its violations. Returns its value, or undefined if it has none. */
function runPart(
  dataset: Dataset,
  key: string | number,
  schema: Schema,
  value: unknown,
  config: Config,
): unknown {
  const part = run(schema, { value }, config)
  if (part.issues === undefined) return part.value
  if (!part.typed) dataset.typed = false
  for (const issue of part.issues) {
    const path = [pathItem(key), ...(issue.path ?? [])] as [v.IssuePathItem, ...v.IssuePathItem[]]
    add(dataset, { ...issue, path } as v.BaseIssue<unknown>)
  }
  return part.value
}

function isOptional(schema: Schema): boolean {
  return schema.type === 'exact_optional'
}

type UnknownMembers = 'rejected' | 'ignored' | 'kept'

function objectOf<const Entries extends v.ObjectEntries>(
  entries: Entries,
  description: string | undefined,
  { unknown, base }: { unknown: UnknownMembers; base?: Schema },
): Both<v.ObjectSchema<Entries, undefined>> {
  const names = Object.keys(entries)
  const members = Object.entries(entries as Readonly<Record<string, Schema>>)
  const validate = (dataset: Dataset, config: Config): Dataset => {
    const input = dataset.value
    if (!isJsonObject(input)) return reject(dataset, mustBe('object'))
    const value: Record<string, unknown> = {}
    accept(dataset, value)
    if (unknown !== 'ignored') {
      for (const name in input) {
        if (Object.hasOwn(entries, name)) continue
        if (unknown === 'kept') {
          if (name !== '__proto__') value[name] = input[name]
          continue
        }
        report(dataset, unknownMember(names), [name])
        if (config.abortEarly) return dataset
      }
    }
    for (const [name, member] of members) {
      const given = input[name]
      if (given === undefined && isOptional(member)) continue
      if (given === undefined) {
        report(dataset, required, [name])
        dataset.typed = false
      } else {
        const read = runPart(dataset, name, member, given, config)
        if (read !== undefined) value[name] = read
      }
      if (dataset.issues && config.abortEarly) return dataset
    }
    return dataset
  }
  const schema = { ...withRun(v.object(entries), validate), base }
  const isClosed = unknown === 'rejected' && !base
  const additionalProperties = unknown === 'kept'
  return annotated(schema, description, isClosed || additionalProperties ? { additionalProperties } : {})
}

/** An object. Each unknown member is a violation (community/validation). */
/* @__NO_SIDE_EFFECTS__ */
export function object<const Entries extends v.ObjectEntries>(
  entries: Entries,
  description?: string,
): Both<v.ObjectSchema<Entries, undefined>> {
  return objectOf(entries, description, { unknown: 'rejected' })
}

/** An object whose unknown members are ignored (webhooks/files-and-unknown-keys). */
/* @__NO_SIDE_EFFECTS__ */
export function openObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  description?: string,
): Both<v.ObjectSchema<Entries, undefined>> {
  return objectOf(entries, description, { unknown: 'ignored' })
}

/** An object whose unknown members stay as they are: what another program defines (WebAuthn). */
/* @__NO_SIDE_EFFECTS__ */
export function looseObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  description?: string,
): Both<v.ObjectSchema<Entries, undefined>> {
  return objectOf(entries, description, { unknown: 'kept' })
}

/** The object `base` with more members. The API document refers to `base`. Only for responses. */
/* @__NO_SIDE_EFFECTS__ */
export function extended<const Base extends v.ObjectEntries, const Added extends v.ObjectEntries>(
  base: v.ObjectSchema<Base, undefined>,
  added: Added,
  description: string,
): Both<v.ObjectSchema<Base & Added, undefined>> {
  return objectOf({ ...base.entries, ...added }, description, { unknown: 'rejected', base })
}

/** The bounds of a list, and the word for its entries in messages. */
interface ListRule extends Range {
  unit?: string
}

/** A list. Of a list that is too long, the entries beyond the maximum are not looked at. */
/* @__NO_SIDE_EFFECTS__ */
export function list<S extends Schema>(
  item: S,
  description?: string,
  { min = 0, max = Number.POSITIVE_INFINITY, unit }: ListRule = {},
): Both<v.ArraySchema<S, undefined>> {
  const validate = (dataset: Dataset, config: Config): Dataset => {
    const input = dataset.value
    if (!Array.isArray(input)) return reject(dataset, mustBe('array'))
    const value: unknown[] = []
    accept(dataset, value)
    if (input.length < min) report(dataset, tooFew(min))
    if (input.length > max) report(dataset, tooMany(max, unit))
    const count = Math.min(input.length, max)
    for (let index = 0; index < count; index++) {
      if (dataset.issues && config.abortEarly) return dataset
      value.push(runPart(dataset, index, item, input[index], config))
    }
    return dataset
  }
  return annotated(withRun(v.array(item), validate), description, {
    ...(min > 0 && { minItems: min }),
    ...(Number.isFinite(max) && { maxItems: max }),
  })
}

/** A member that may be absent. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<S extends Schema>(schema: S): v.ExactOptionalSchema<S, undefined> {
  return v.exactOptional(schema)
}

type Optional<Member> =
  Member extends v.ExactOptionalSchema<Schema, undefined>
    ? Member
    : Member extends Schema
      ? v.ExactOptionalSchema<Member, undefined>
      : never

/** The members of an object, all of which may be absent. */
/* @__NO_SIDE_EFFECTS__ */
export function partial<const Entries extends Readonly<Record<string, Schema>>>(entries: Entries) {
  const members = Object.entries(entries).map(([name, member]) => [
    name,
    isOptional(member) ? member : optional(member),
  ])
  return Object.fromEntries(members) as { [Name in keyof Entries]: Optional<Entries[Name]> }
}

/** A value or null. */
/* @__NO_SIDE_EFFECTS__ */
export function nullable<S extends Schema>(
  schema: S,
  description?: string,
): Both<v.NullableSchema<S, undefined>> {
  const validate = (dataset: Dataset, config: Config): Dataset => {
    if (dataset.value === null) return accept(dataset, null)
    const result = run(schema, dataset, config)
    result.issues?.forEach(acceptNull)
    return result
  }
  return annotated(withRun(v.nullable(schema), validate), description)
}

/** Null is one of the accepted values of a violation that lists them. */
function acceptNull(issue: v.BaseIssue<unknown>): void {
  const { violation } = issue as ViolationIssue
  if (issue.path !== undefined || violation.accepted === undefined) return
  const describe = violation.code === 'invalid_type' ? mustBe : (...accepted: string[]) => notOneOf(accepted)
  Object.assign(issue, { violation: describe(...violation.accepted, 'null') })
}

/** A member that may be absent or null, which is the same: the value does not have it. */
/* @__NO_SIDE_EFFECTS__ */
export function nullish<S extends Schema>(
  schema: S,
  description?: string,
): v.ExactOptionalSchema<S, undefined> {
  const validate = (dataset: Dataset, config: Config): Dataset =>
    dataset.value === null ? accept(dataset, undefined) : run(schema, dataset, config)
  const base = { ...v.exactOptional(schema), isNullish: true }
  return annotated(withRun(base, validate), description)
}

/** `schema`, whose value is first converted: for forms that a route accepts besides the documented one. */
/* @__NO_SIDE_EFFECTS__ */
export function converted<S extends Schema>(schema: S, convert: (value: unknown) => unknown): S {
  const validate = (dataset: Dataset, config: Config): Dataset => {
    dataset.value = convert(dataset.value)
    return run(schema, dataset, config)
  }
  // In the API document it is still a reference to `schema`.
  return { ...withRun(schema, validate), pipe: [schema] }
}

/** A string that `read` checks and converts. An undefined value is that of an absent member. */
/* @__NO_SIDE_EFFECTS__ */
export function readString(
  read: (value: unknown) => { value: string | undefined } | { violation: ViolationDetails },
  description: string,
  keywords: Keywords,
): Both<v.StringSchema<undefined>> {
  const validate = (dataset: Dataset): Dataset => {
    const result = read(dataset.value)
    return 'violation' in result ? reject(dataset, result.violation) : accept(dataset, result.value)
  }
  return annotated(withRun(v.string(), validate), description, keywords)
}

/** The URL of a link or an image: http or https. `''` is absent (webhooks/url-empty). */
/* @__NO_SIDE_EFFECTS__ */
export function url(description: string, max: number = maxUrl): Both<v.StringSchema<undefined>> {
  const read = (value: unknown) => {
    if (typeof value !== 'string') return { violation: mustBe('string') }
    const text = value.trim()
    const violation = text === '' ? undefined : findUrlViolation(text, max)
    return violation ? { violation } : { value: text === '' ? undefined : text }
  }
  return readString(read, description, { format: 'uri', maxLength: max })
}

/**
 * A rule that compares members. It runs if there is no other violation in the value; `always`: also with others, for what could be
 * read. Paths begin in the value.
 */
/* @__NO_SIDE_EFFECTS__ */
export function rule<Value>(
  find: (value: NoInfer<Value>) => readonly Violation[],
  { always = false }: { always?: boolean } = {},
): v.GenericValidation<Value> {
  const validate = (dataset: Dataset, { abortEarly }: Config): Dataset => {
    if (dataset.issues && (!always || abortEarly || dataset.value === undefined)) return dataset
    for (const { path, ...violation } of find(dataset.value as NoInfer<Value>))
      report(dataset, violation, path)
    return dataset
  }
  return withRun(
    v.check<Value, undefined>(() => true, undefined),
    validate as never,
  )
}

/** One of `options`, objects that differ in the member `key`. `values`: what `key` accepts, in the order of messages. */
/* @__NO_SIDE_EFFECTS__ */
export function variant<const Options extends readonly VariantOption[]>(
  key: string,
  options: Options,
  description?: string,
): v.GenericSchema<v.InferInput<Options[number]>, v.InferOutput<Options[number]>> & { options: Options } {
  const byValue = new Map(
    options.flatMap(option => keyValues(option, key).map(value => [value, option] as const)),
  )
  const values = [...byValue.keys()] as string[]
  const base = v.variant(key, options as never)
  const validate = (dataset: Dataset, config: Config): Dataset => {
    const input = dataset.value
    if (!isJsonObject(input)) return reject(dataset, mustBe('object'))
    const option = byValue.get(input[key])
    if (option !== undefined) return run(option, dataset, config)
    report(dataset, notOneOf(values), [key])
    dataset.typed = false
    dataset.value = undefined
    return dataset
  }
  return annotated(withRun(base, validate), description) as never
}

type VariantOption = Schema & ({ entries: v.ObjectEntries } | { options: readonly unknown[] })

/** The values of the member `key` of an option, which may be a variant itself. */
export function keyValues(option: unknown, key: string): readonly unknown[] {
  const { entries, options } = option as { entries?: v.ObjectEntries; options?: readonly unknown[] }
  if (!entries) return [...new Set((options ?? []).flatMap(each => keyValues(each, key)))]
  const member = entries[key] as { literal?: unknown; options?: readonly unknown[] } | undefined
  return member?.options ?? [member?.literal]
}
