import type { Static } from 'typebox'
import { Id } from './ids.ts'
import { defaultListLimit, maxListLimit } from './limits.ts'
import { closed, Described } from './schema.ts'
import { Type } from './type.ts'

const Limit = Type.Integer({
  minimum: 1,
  maximum: maxListLimit,
  default: defaultListLimit,
  description: 'The maximum number of entries.',
})

/** The query of a list without a cursor. */
export const LimitQuery = Type.Object(
  { limit: Type.Optional(Limit) },
  closed('The maximum number of entries.'),
)
export type LimitQuery = Static<typeof LimitQuery>

/** The query of a list that is read by keyset. */
export const PageQuery = Type.Object(
  {
    before: Type.Optional(Described(Id, 'Only entries that are older than this id.')),
    after: Type.Optional(Described(Id, 'Only entries that are newer than this id.')),
    limit: Type.Optional(Limit),
  },
  closed('A page of the list: entries older than `before` or newer than `after`.'),
)
export type PageQuery = Static<typeof PageQuery>
