import { Type } from '@gatehouse/protocol/type'
import type { TUnsafe } from 'typebox'

const mediaTypes = Symbol('mediaTypes')

/** A response body that is not JSON, with its media types. */
export function Media<Body extends string | Uint8Array>(...types: string[]): TUnsafe<Body> {
  return Type.Unsafe<Body>({ type: 'string', [mediaTypes]: types })
}

export const Html = Media<string>('text/html')
export const PlainText = Media<string>('text/plain')

/** The media types of a response: those of `Media`, or else JSON. */
export function mediaTypesOf(schema: { [mediaTypes]?: readonly string[] } | object): readonly string[] {
  return (mediaTypes in schema ? schema[mediaTypes] : undefined) ?? ['application/json']
}
