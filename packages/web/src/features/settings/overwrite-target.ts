import type { Overwrite } from '@gatehouse/protocol/channels'

/** The role or member of an overwrite. The role @everyone has the id of the server (community/everyone-role). */
export type Target = Pick<Overwrite, 'id' | 'type'>
