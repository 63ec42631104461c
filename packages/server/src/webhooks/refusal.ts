import { WebhookErrorCode } from '@gatehouse/protocol/errors'
import type { CheckFault, Path } from '@gatehouse/protocol/faults'
import { formatPath } from '@gatehouse/protocol/faults'
import type { DialectErrors, DialectFieldErrors } from '@gatehouse/protocol/webhooks'
import { AppError } from '../kit/app-error.ts'

/** What a webhook route refuses in words of its dialect. */
export class Refusal extends AppError {
  readonly numeric: WebhookErrorCode
  /** With 50035: where what is wrong. */
  readonly nested: DialectErrors | DialectFieldErrors | undefined

  constructor(
    code: 'not_found' | 'validation_failed',
    numeric: WebhookErrorCode,
    message: string,
    faults: readonly CheckFault[] = [],
  ) {
    super(code, message, {
      errors: faults.map(fault => ({
        path: formatPath(fault.path),
        code: codeOf(fault),
        message: wordsOf(fault),
      })),
    })
    this.numeric = numeric
    this.nested = faults.length === 0 ? undefined : nestedErrors(faults)
  }
}

/** D34: the same for an unknown id and for a wrong token. */
export function unknownWebhook(): Refusal {
  return new Refusal('not_found', WebhookErrorCode.unknownWebhook, 'Unknown Webhook')
}

export function unknownMessage(): Refusal {
  return new Refusal('not_found', WebhookErrorCode.unknownMessage, 'Unknown Message')
}

export function emptyMessage(): Refusal {
  return new Refusal('validation_failed', WebhookErrorCode.emptyMessage, 'Cannot send an empty message')
}

export function invalidForm(faults: readonly CheckFault[]): Refusal {
  return new Refusal('validation_failed', WebhookErrorCode.invalidFormBody, 'Invalid Form Body', faults)
}

/** One fault of the form body, in words of our own. */
export function invalidAt(path: Path, rule: string, message: string): Refusal {
  return invalidForm([{ path, rule, message }])
}

/** D35 */
export function filesRefused(): Refusal {
  const message = 'Files are not accepted here. Send text and embeds, and link to the file instead.'
  return new Refusal('validation_failed', WebhookErrorCode.invalidFormBody, message, [
    { path: ['files'], rule: 'files', message },
  ])
}

function nestedErrors(faults: readonly CheckFault[]): DialectErrors | DialectFieldErrors {
  const root: Node = newNode()
  for (const fault of faults) {
    let node = root
    for (const step of fault.path) {
      let next = node.members.get(String(step))
      if (next === undefined) {
        next = newNode()
        node.members.set(String(step), next)
      }
      node = next
    }
    node.errors.push({ code: codeOf(fault), message: wordsOf(fault) })
  }
  return toJson(root)
}

interface Node {
  members: Map<string, Node>
  errors: DialectFieldErrors['_errors']
}

function newNode(): Node {
  return { members: new Map(), errors: [] }
}

/** A list with a fault of its own, and of one of its items, has both `_errors` and the item's index. */
function toJson(node: Node): DialectErrors | DialectFieldErrors {
  const members = Object.fromEntries([...node.members].map(([name, member]) => [name, toJson(member)]))
  return node.errors.length === 0 ? members : { _errors: node.errors, ...members }
}

/** The rules of the protocol's checks, by the codes that clients of the dialect know. */
const codes: Readonly<Record<string, string>> = {
  too_long: 'BASE_TYPE_MAX_LENGTH',
  too_many: 'BASE_TYPE_MAX_LENGTH',
  too_short: 'BASE_TYPE_BAD_LENGTH',
  required: 'BASE_TYPE_REQUIRED',
  empty: 'BASE_TYPE_REQUIRED',
  total_too_long: 'MAX_EMBED_SIZE_EXCEEDED',
  invalid_type: 'BASE_TYPE_CONVERT',
  invalid_text: 'BASE_TYPE_BAD_TEXT',
  invalid_url: 'URL_TYPE_INVALID_URL',
  invalid_timestamp: 'DATE_TIME_TYPE_PARSE',
  invalid_choice: 'BASE_TYPE_CHOICES',
  invalid_format: 'NUMBER_TYPE_COERCE',
  out_of_range: 'NUMBER_TYPE_RANGE',
  conflict: 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
  files: 'FILES_NOT_ACCEPTED',
  content_type: 'CONTENT_TYPE_INVALID',
  multipart: 'MULTIPART_INVALID',
}

function codeOf(fault: CheckFault): string {
  if (fault.scheme !== undefined) return 'URL_TYPE_INVALID_SCHEME'
  return codes[fault.rule] ?? 'BASE_TYPE_INVALID'
}

function wordsOf({ rule, message, limit, scheme }: CheckFault): string {
  if (scheme !== undefined) {
    return `Scheme "${scheme.slice(0, 32)}" is not supported. Scheme must be one of ('http', 'https').`
  }
  if (limit !== undefined && (rule === 'too_long' || rule === 'too_many')) {
    return `Must be ${limit} or fewer in length.`
  }
  if (rule === 'total_too_long') return `Embed size exceeds maximum size of ${limit}`
  if (rule === 'required') return 'This field is required'
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}
