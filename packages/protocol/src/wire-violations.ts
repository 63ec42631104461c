import type * as v from 'valibot'
import {
  mustBe,
  oneOf as notOneOf,
  type Path,
  required,
  type Violation,
  type ViolationDetails,
} from './field-errors.ts'

/** How the definitions of wire.ts report violations as issues of Valibot, and `parse` reads them. */

export type Issue = v.BaseIssue<unknown>
export type Config = v.Config<Issue>

/** The value so far, and its issues, as in Valibot. */
export interface Dataset {
  typed?: boolean
  value: unknown
  issues?: Issue[]
}

/** As the message of a schema: null is a missing member too. */
export const nullIsMissing = 'required'

/** What `addIssue` of Valibot needs for a violation. */
export function issueOf({ path = [], ...violation }: ViolationDetails & { path?: Path }) {
  const [first, ...others] = path.map(pathItem)
  return {
    input: violation,
    received: '',
    message: violation.message,
    path: first && ([first, ...others] satisfies Issue['path']),
  }
}

export function pathItem(key: string | number): v.IssuePathItem {
  return { type: 'unknown', origin: 'value', input: undefined, key, value: undefined }
}

/**
 * The violation of an issue. Issues of our own steps (`raw_check`, `raw_transform`) have it as their input. The message
 * of a number is the name of its type, because Valibot reports `number` for an integer too.
 */
export function toViolation(issue: Issue): Violation {
  return { path: (issue.path ?? []).map(({ key }) => key as string | number), ...describe(issue) }
}

function describe({ type, input, expected, message }: Issue): ViolationDetails {
  if (type === 'raw_check' || type === 'raw_transform') return input as ViolationDetails
  if (input === null && message === nullIsMissing) return required
  return mustBe(type === 'number' ? message : String(expected).toLowerCase())
}

export function add(dataset: Dataset, issue: Partial<Issue>): void {
  const ours = { kind: 'validation', type: 'raw_check', ...issue } as Issue
  if (dataset.issues) dataset.issues.push(ours)
  else dataset.issues = [ours]
}

/** Adds a violation because of which there is no value. */
export function reject(dataset: Dataset, violation: ViolationDetails): Dataset {
  add(dataset, issueOf(violation))
  return Object.assign(dataset, { typed: false, value: undefined })
}

/**
 * Null is one of the accepted values of a violation that lists them. Valibot reports the violation of the wrapped
 * schema.
 */
export function acceptNull(issue: Issue): void {
  const { code, accepted } = describe(issue)
  if (issue.path !== undefined || accepted === undefined) return
  const violation = code === 'invalid_type' ? mustBe(...accepted, 'null') : notOneOf([...accepted, 'null'])
  Object.assign(issue, { type: 'raw_check', ...issueOf(violation) })
}
