import type { InferOutput } from 'valibot'
import { Id } from './ids.ts'
import { defaultListLimit, maxListLimit } from './limits.ts'
import { described, integer, object, optional } from './wire.ts'

const Limit = integer('The maximum number of entries.', {
  min: 1,
  max: maxListLimit,
  default: defaultListLimit,
})

/** The query of a list without a cursor. */
export const LimitQuery = object({ limit: optional(Limit) }, 'The maximum number of entries.')
export type LimitQuery = InferOutput<typeof LimitQuery>

/** The query of a list that is read by keyset. */
export const PageQuery = object(
  {
    before: optional(described(Id, 'Only entries that are older than this id.')),
    after: optional(described(Id, 'Only entries that are newer than this id.')),
    limit: optional(Limit),
  },
  'A page of the list: entries older than `before` or newer than `after`.',
)
export type PageQuery = InferOutput<typeof PageQuery>
