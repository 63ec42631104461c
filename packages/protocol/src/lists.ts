import type { Static } from 'typebox'
import { Id } from './ids.ts'
import { defaultListLimit, maxListLimit } from './limits.ts'
import { closed } from './schema.ts'
import { Type } from './type.ts'

const Limit = Type.Integer({
  minimum: 1,
  maximum: maxListLimit,
  default: defaultListLimit,
  description: 'How many at most; out of range is 400.',
})

/** The query of a list without a cursor. */
export const LimitQuery = Type.Object({ limit: Type.Optional(Limit) }, closed('How much of the list.'))
export type LimitQuery = Static<typeof LimitQuery>

/** The query of a list that is read by keyset. */
export const PageQuery = Type.Object(
  { before: Type.Optional(Id), after: Type.Optional(Id), limit: Type.Optional(Limit) },
  closed('Which part of the list: older than `before`, newer than `after`.'),
)
export type PageQuery = Static<typeof PageQuery>
