/** JSON Schemas (2020-12) of the responses that a client library can parse. */
export interface Library {
  name: string
  /** GET and PATCH of the webhook URL. */
  webhook: object
  /** POST with `wait=true`, GET and PATCH of a message. */
  message: object
  /** The body of 400 and 404. */
  error: object
  /** The body of 429. */
  rateLimited: object
  /** The headers of every response. */
  headers: object
  /** Additional headers of 429. */
  rateLimitedHeaders: object
}

/** An object with these members and any others. */
export function object(required: Record<string, object>, optional: Record<string, object> = {}): object {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } }
}

/** `Option` in Rust and `Optional` in Python: null is accepted. For an optional member use the argument `optional` too. */
export function option(schema: object): object {
  return { anyOf: [{ type: 'null' }, schema] }
}

export function list(items: object): object {
  return { type: 'array', items }
}

export const text = { type: 'string' } as const
export const boolean = { type: 'boolean' } as const
export const unsignedInteger = { type: 'integer', minimum: 0 } as const
/** A number in a header. */
export const numberText = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?$' } as const
/** A `u64` other than 0, as a string. */
export const snowflake = { type: 'string', pattern: '^[1-9][0-9]{0,19}$' } as const
/** `u16` as a string. */
export const discriminator = { type: 'string', pattern: '^[0-9]{1,4}$' } as const
