import * as v from 'valibot'
import {
  invalidText,
  mustBe,
  oneOf as notOneOf,
  outOfRange,
  required,
  tooFew,
  tooLong,
  tooMany,
  tooShort,
  unknownMember,
  type Violation,
  type ViolationDetails,
} from './field-errors.ts'
import { isJsonObject, type JsonObject, omit } from './json-object.ts'
import { maxUrl } from './limits.ts'
import { cleaners, codePoints, isLonger, isValidText } from './text.ts'
import { findUrlViolation } from './urls.ts'
import {
  acceptNull,
  add,
  type Config,
  type Dataset,
  issueOf,
  nullIsMissing,
  pathItem,
  reject,
} from './wire-violations.ts'

/**
 * Builders for the definitions of wire objects, on Valibot. A definition gives the type (`v.InferOutput`), the JSON
 * Schema of the API document (`http/json-schema.ts` of the service), the validation with all violations, and the
 * normalized value (`parse`). wire-violations.ts turns the issues of Valibot into violations with our codes. The limits
 * and descriptions are metadata of the schema. Only objects and lists have a validation of our own:
 * docs/decisions/wire-schemas.md says why.
 */

/** Any definition. */
export type Schema = v.GenericSchema<unknown, unknown>

/** The keywords of JSON Schema that a builder adds, for the API document. */
type Keywords = Readonly<Record<string, unknown>>

type Read<Value> = { value: Value } | { violation: ViolationDetails }

/** A rule for a value of the right type. */
function check<Value>(find: (value: Value) => ViolationDetails | undefined): v.RawCheckAction<Value> {
  return v.rawCheck(({ dataset, addIssue }) => {
    const violation = dataset.typed ? find(dataset.value) : undefined
    if (violation) addIssue(issueOf(violation))
  })
}

/** A step that reads a value. A value with a violation is not read. `value`: undefined is that of an absent member. */
function transformed<Given, Value>(read: (given: Given) => Read<Value>): v.RawTransformAction<Given, Value> {
  return v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const result = read(dataset.value)
    if ('value' in result) return result.value
    addIssue(issueOf(result.violation))
    return NEVER
  })
}

/** `schema`, which has the members (`entries`, `options`) of `shown`. The API document refers to `shown`. */
/* @__NO_SIDE_EFFECTS__ */
export function shownAs<S extends Schema>(schema: S, shown: Schema): S {
  const base = { ...shown, pipe: [shown] } as Schema as S
  return withRun(base, (dataset, config) => run(schema, dataset, config))
}

/** Runs the validation of `schema`, whose types of datasets are stricter than needed here. */
function run(schema: Schema, dataset: Dataset, config: Config): Dataset {
  return schema['~run'](dataset as never, config) as Dataset
}

function withRun<S>(base: S, validate: (dataset: Dataset, config: Config) => Dataset): S {
  return { ...base, '~run': validate } as S
}

/** Adds keywords and a description for the API document. Does not change the validation or the type. */
function annotated<S extends Schema>(schema: S, description: string | undefined, keywords: Keywords = {}): S {
  const items = [
    ...(Object.keys(keywords).length === 0 ? [] : [v.metadata(keywords)]),
    ...(description === undefined ? [] : [v.description(description)]),
  ]
  // Not `v.pipe`: metadata needs no step in the validation.
  return (items.length === 0 ? schema : { ...schema, pipe: [schema, ...items] }) as S
}

/** A copy of `schema` with the description of one member. In the API document it is still a reference to `schema`. */
/* @__NO_SIDE_EFFECTS__ */
export function described<S extends Schema>(schema: S, description: string): S {
  return annotated(schema, description)
}

/** Adds keywords for the API document, which change nothing else: `format`, or what an operation checks itself. */
/* @__NO_SIDE_EFFECTS__ */
export function keywords<S extends Schema>(schema: S, added: Keywords): S {
  return annotated(schema, undefined, added)
}

/**
 * A string, which the validation accepts as it is. `added`: more of its JSON Schema, such as `format`, for the API
 * document only.
 */
/* @__NO_SIDE_EFFECTS__ */
export function string(description?: string, added?: Keywords): v.StringSchema<undefined> {
  return annotated(v.string(), description, added)
}

/* @__NO_SIDE_EFFECTS__ */
export function boolean(description?: string): v.BooleanSchema<undefined> {
  return annotated(v.boolean(), description)
}

/** A string that contains JSON. */
/* @__NO_SIDE_EFFECTS__ */
export function jsonText(schema: Schema, description: string): v.StringSchema<undefined> {
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
  const find = (value: number) => {
    if (type === 'integer' && !Number.isInteger(value)) return mustBe(type)
    const isOut = (min !== undefined && value < min) || (max !== undefined && value > max)
    return isOut ? outOfRange(min, max) : undefined
  }
  // Not a check: rules must not compare a number that is out of range with other members.
  const inRange = transformed((value: number) => {
    const violation = find(value)
    return violation ? { violation } : { value }
  })
  // The message is the name of the type: `toViolation` of wire-violations.ts reads it.
  const schema = v.pipe(v.number(type), inRange) as v.GenericSchema as v.NumberSchema<undefined>
  return annotated(schema, description, {
    type,
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(byDefault !== undefined && { default: byDefault }),
  })
}

/* @__NO_SIDE_EFFECTS__ */
export function integer(description?: string, rule: NumberRule = {}): v.NumberSchema<undefined> {
  return numberOf('integer', rule, description)
}

/* @__NO_SIDE_EFFECTS__ */
export function number(description?: string, rule: NumberRule = {}): v.NumberSchema<undefined> {
  return numberOf('number', rule, description)
}

/** One of `values`, strings or integers. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const Value extends string | number>(
  values: readonly Value[],
  description?: string,
): v.PicklistSchema<readonly Value[], undefined> {
  return annotated(onlyValues(v.picklist(values), values), description)
}

/** The one value of a member, such as that of `type`. */
/* @__NO_SIDE_EFFECTS__ */
export function constant<const Value extends string | number | boolean>(
  value: Value,
  description?: string,
): v.LiteralSchema<Value, undefined> {
  return annotated(onlyValues(v.literal(value), [value]), description)
}

/** `schema`, whose violation lists `values`, which are those that it accepts. */
function onlyValues<S extends Schema>(schema: S, values: readonly (string | number | boolean)[]): S {
  const violation = notOneOf(values)
  return withRun(schema, dataset => {
    if (!values.some(value => value === dataset.value)) return reject(dataset, violation)
    return Object.assign(dataset, { typed: true })
  })
}

export interface TextRule {
  /** In code points, after cleaning. */
  min?: number
  max?: number
  /** How the string is changed before its length is counted (`cleaners`). `trim` by default. */
  clean?: 'trim' | 'keep' | 'name' | 'lines'
  pattern?: RegExp
  description?: string
  /**
   * What an empty text is, besides too short. `absent`: like an absent member. `required`: null too is a missing
   * member.
   */
  empty?: 'absent' | 'required'
}

/**
 * A string that a user or program wrote: without U+0000 and lone surrogates, cleaned, and then counted in code points
 * (limits/text-length). Codes: `invalid_type`, `invalid_text`, `too_short`, `too_long`, `invalid_format`, `required`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function text(options: TextRule): v.StringSchema<undefined> {
  const { min, max, clean = 'trim', pattern: form, description, empty } = options
  const badForm = issueOf(invalidFormat(description ?? String(form?.source)))
  const schema = v.pipe(
    v.string(empty === 'required' ? nullIsMissing : undefined),
    transformed((given: string): Read<string | undefined> => {
      if (!isValidText(given)) return { violation: invalidText }
      const value = cleaners[clean](given)
      if (value === '' && empty === 'required') return { violation: required }
      if (value === '' && empty === 'absent') return { value: undefined }
      // White space is an empty text. Other text without visible characters is an error.
      if (value === '' && given.trim() !== '') return { violation: tooShort(1, 'visible character') }
      return { value }
    }),
    v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
      if (typeof value !== 'string') return
      if (typed && min !== undefined && isShorter(value, min)) addIssue(issueOf(tooShort(min)))
      if (typed && max !== undefined && isLonger(value, max)) addIssue(issueOf(tooLong(max)))
      // Text with U+0000 or a lone surrogate has both violations.
      if (form && (typed || !isValidText(value)) && !form.test(value)) addIssue(badForm)
    }),
  )
  return annotated(schema as v.GenericSchema as v.StringSchema<undefined>, description, {
    'x-text': clean,
    ...(min !== undefined && { minLength: min }),
    ...(max !== undefined && { maxLength: max }),
    ...(form && { pattern: form.source }),
  })
}

function isShorter(value: string, min: number): boolean {
  return value.length < 2 * min && codePoints(value) < min
}

/** A string of fixed form that is not text, such as an id: not cleaned. */
/* @__NO_SIDE_EFFECTS__ */
export function pattern(form: RegExp, description: string): v.StringSchema<undefined> {
  const violation = invalidFormat(description)
  const schema = v.pipe(
    v.string(),
    check(value => (form.test(value) ? undefined : violation)),
  )
  return annotated(schema as v.GenericSchema as v.StringSchema<undefined>, description, {
    pattern: form.source,
  })
}

function invalidFormat(description: string): ViolationDetails {
  return { code: 'invalid_format', message: `must have this form: ${description.replace(/\.$/, '')}` }
}

/** Runs the definition of a member or an entry, and adds its violations. Returns what could be read of its value. */
function runPart(dataset: Dataset, key: string | number, schema: Schema, given: unknown, config: Config) {
  const { value, typed, issues } = run(schema, { value: given }, config)
  if (issues === undefined) return value
  if (!typed) dataset.typed = false
  for (const issue of issues) add(dataset, { ...issue, path: [pathItem(key), ...(issue.path ?? [])] })
  // Schemas of Valibot leave a value of another type as it is.
  return typed || value !== given ? value : undefined
}

/** Whether the member of an object may be absent. */
export function isOptional({ type }: Schema): boolean {
  return type === 'exact_optional' || type === 'nullish'
}

type UnknownMembers = 'rejected' | 'ignored' | 'kept'

function objectOf<const Entries extends v.ObjectEntries>(
  entries: Entries,
  description: string | undefined,
  { unknown, base }: { unknown: UnknownMembers; base?: Schema },
): v.ObjectSchema<Entries, undefined> {
  const names = Object.keys(entries)
  const members = Object.entries(entries as Readonly<Record<string, Schema>>)
  const validate = (dataset: Dataset, config: Config): Dataset => {
    const input = dataset.value
    if (!isJsonObject(input)) return reject(dataset, mustBe('object'))
    const value: Record<string, unknown> = {}
    dataset.typed = true
    dataset.value = value
    if (unknown !== 'ignored') {
      for (const name in input) {
        if (Object.hasOwn(entries, name)) continue
        if (unknown === 'kept') {
          if (name !== '__proto__') value[name] = input[name]
          continue
        }
        add(dataset, issueOf({ path: [name], ...unknownMember(names) }))
        if (config.abortEarly) return dataset
      }
    }
    for (const [name, member] of members) {
      const given = input[name]
      if (given === undefined && isOptional(member)) continue
      if (given === undefined) {
        add(dataset, issueOf({ path: [name], ...required }))
      } else {
        const read = runPart(dataset, name, member, given, config)
        if (read !== undefined) value[name] = read
      }
      if (dataset.issues && config.abortEarly) return dataset
    }
    return dataset
  }
  const schema = { ...withRun(v.object(entries), validate), base }
  // An extended object is an `allOf` of `base` and the added members in the document: neither may exclude the others.
  const isClosed = unknown === 'rejected' && !base
  const additionalProperties = unknown === 'kept'
  return annotated(schema, description, isClosed || additionalProperties ? { additionalProperties } : {})
}

/** An object. Each unknown member is a violation (community/validation). */
/* @__NO_SIDE_EFFECTS__ */
export function object<const Entries extends v.ObjectEntries>(
  entries: Entries,
  description?: string,
): v.ObjectSchema<Entries, undefined> {
  return objectOf(entries, description, { unknown: 'rejected' })
}

/** An object whose unknown members are ignored (webhooks/files-and-unknown-keys). */
/* @__NO_SIDE_EFFECTS__ */
export function openObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  description?: string,
): v.ObjectSchema<Entries, undefined> {
  return objectOf(entries, description, { unknown: 'ignored' })
}

/** An object whose unknown members stay as they are: what another program or a standard defines (WebAuthn, OAuth). */
/* @__NO_SIDE_EFFECTS__ */
export function looseObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  description?: string,
): v.ObjectSchema<Entries, undefined> {
  return objectOf(entries, description, { unknown: 'kept' })
}

/** The object `base` with more members. The API document refers to `base`. Only for responses. */
/* @__NO_SIDE_EFFECTS__ */
export function extended<const Base extends v.ObjectEntries, const Added extends v.ObjectEntries>(
  base: v.ObjectSchema<Base, undefined>,
  added: Added,
  description: string,
): v.ObjectSchema<Base & Added, undefined> {
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
): v.ArraySchema<S, undefined> {
  const validate = (dataset: Dataset, config: Config): Dataset => {
    const input = dataset.value
    if (!Array.isArray(input)) return reject(dataset, mustBe('array'))
    const value: unknown[] = []
    dataset.typed = true
    dataset.value = value
    if (input.length < min) add(dataset, issueOf(tooFew(min)))
    if (input.length > max) add(dataset, issueOf(tooMany(max, unit)))
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

/** A member whose value is not read. */
export const ignored = optional(
  v.pipe(
    v.unknown(),
    v.transform(() => undefined),
  ),
)

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
export function nullable<S extends Schema>(schema: S, description?: string): v.NullableSchema<S, undefined> {
  // Valibot reports the violation of `schema`, which does not say that null is accepted too.
  const schemaOrNull = v.pipe(
    v.nullable(schema),
    v.rawCheck(({ dataset }) => dataset.issues?.forEach(acceptNull)),
  )
  return annotated(schemaOrNull as v.NullableSchema<S, undefined>, description)
}

/** A member that may be absent or null, which is the same: the value does not have it. */
/* @__NO_SIDE_EFFECTS__ */
export function nullish<S extends Schema>(
  schema: S,
  description?: string,
): v.ExactOptionalSchema<S, undefined> {
  const orAbsent = v.nullish(schema, () => undefined) as Schema
  return annotated(orAbsent as v.ExactOptionalSchema<S, undefined>, description)
}

/** `schema`, whose value is first converted: for forms that a route accepts besides the documented one. */
/* @__NO_SIDE_EFFECTS__ */
export function converted<S extends Schema>(schema: S, convert: (value: unknown) => unknown): S {
  const validated: Schema = v.pipe(v.unknown(), v.transform(convert), schema)
  return shownAs(validated as S, schema)
}

/** `schema`, of which each value has this violation too. It is the first one. */
/* @__NO_SIDE_EFFECTS__ */
export function withViolation<S extends Schema>(schema: S, violation: Violation): S {
  return withRun(schema, (dataset, config) => {
    const { value, issues = [] } = run(schema, { value: dataset.value }, config)
    add(dataset, issueOf(violation))
    dataset.issues?.push(...issues)
    return Object.assign(dataset, { typed: false, value })
  })
}

/** `schema`, an object without the members of which `find` returns violations. Their values are not validated. */
/* @__NO_SIDE_EFFECTS__ */
export function refusing<S extends Schema>(schema: S, find: (given: JsonObject) => readonly Violation[]): S {
  const chosen: Schema = v.lazy(given => {
    const violations = isJsonObject(given) ? find(given) : []
    if (violations.length === 0) return schema
    const names = violations.map(({ path }) => path[0])
    const others = converted(schema, () => omit(given as JsonObject, names))
    return v.pipe(
      others,
      rule(() => violations, { always: true }),
    )
  })
  return shownAs(chosen as S, schema)
}

/** A string that `read` checks and converts. An undefined value is that of an absent member. */
/* @__NO_SIDE_EFFECTS__ */
export function readString(
  read: (value: unknown) => Read<string | undefined>,
  description: string,
  added: Keywords,
): v.StringSchema<undefined> {
  const schema = v.pipe(v.unknown(), transformed(read))
  return annotated(schema as v.GenericSchema as v.StringSchema<undefined>, description, {
    type: 'string',
    ...added,
  })
}

/** The URL of a link or an image: http or https. `''` is absent (webhooks/url-empty). */
/* @__NO_SIDE_EFFECTS__ */
export function url(description: string, max: number = maxUrl): v.StringSchema<undefined> {
  const read = (value: unknown) => {
    if (typeof value !== 'string') return { violation: mustBe('string') }
    const trimmed = value.trim()
    if (trimmed === '') return { value: undefined }
    const violation = findUrlViolation(trimmed, max)
    return violation ? { violation } : { value: trimmed }
  }
  return readString(read, description, { format: 'uri', maxLength: max })
}

interface RuleOptions {
  /** Also with other violations, for what could be read. */
  always?: boolean
  /** With `always`: not if one of these members has a violation. */
  compared?: readonly string[]
}

/** A rule that compares members. It runs if there is no other violation in the value. Paths begin in the value. */
/* @__NO_SIDE_EFFECTS__ */
export function rule<Value>(
  find: (value: NoInfer<Value>) => readonly Violation[],
  { always = false, compared = [] }: RuleOptions = {},
): v.RawCheckAction<Value> {
  return v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.issues && (!always || dataset.value === undefined)) return
    if (dataset.issues?.some(({ path }) => compared.some(name => name === path?.[0].key))) return
    for (const violation of find(dataset.value as NoInfer<Value>)) addIssue(issueOf(violation))
  })
}

interface VariantRule {
  /** Validates an object in which `key` has none of the values. By default, that is its only violation. */
  others?: Schema
}

/**
 * One of `options`, objects that differ in the member `key`. `values`: what `key` accepts, in the order of messages.
 */
/* @__NO_SIDE_EFFECTS__ */
export function variant<const Options extends readonly VariantOption[]>(
  key: string,
  options: Options,
  description?: string,
  { others }: VariantRule = {},
): v.GenericSchema<v.InferInput<Options[number]>, v.InferOutput<Options[number]>> & { options: Options } {
  const byValue = new Map(
    options.flatMap(option => keyValues(option, key).map(value => [value, option] as const)),
  )
  const values = [...byValue.keys()] as string[]
  // Only for its violation: the value must be an object.
  const notAnObject = object({})
  const noVariant = v.pipe(
    v.unknown(),
    v.transform(() => undefined),
    v.rawCheck(({ addIssue }) => addIssue(issueOf({ path: [key], ...notOneOf(values) }))),
  )
  const chosen = v.lazy(input =>
    isJsonObject(input) ? (byValue.get(input[key]) ?? others ?? noVariant) : notAnObject,
  )
  return annotated(shownAs(chosen as Schema, v.variant(key, options as never)), description) as never
}

type VariantOption = Schema & ({ entries: v.ObjectEntries } | { options: readonly unknown[] })

/** The values of the member `key` of an option, which may be a variant itself. */
export function keyValues(option: unknown, key: string): readonly unknown[] {
  const { entries, options } = option as { entries?: v.ObjectEntries; options?: readonly unknown[] }
  if (!entries) return [...new Set((options ?? []).flatMap(each => keyValues(each, key)))]
  const member = entries[key] as { literal?: unknown; options?: readonly unknown[] } | undefined
  return member?.options ?? [member?.literal]
}
