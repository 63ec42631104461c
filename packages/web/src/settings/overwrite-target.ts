import type { Overwrite } from '@gatehouse/protocol/channels'

/** Whom an overwrite is about; @everyone is the role whose id is the server's (D58). */
export type Target = Pick<Overwrite, 'id' | 'type'>
