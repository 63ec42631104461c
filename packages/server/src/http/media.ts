import * as v from 'valibot'

const mediaTypes = Symbol('mediaTypes')

/** A response body that is not JSON, with its media types. */
export function Media<Body>(...types: string[]): v.GenericSchema<unknown, Body> {
  return Object.assign(
    v.custom<Body>(() => true),
    { [mediaTypes]: types },
  )
}

export const Html = Media<string>('text/html')
export const PlainText = Media<string>('text/plain')

/** The body of a route with the body type `image`. `requireImage` checks it. */
export const Image = v.unknown()

/** The media types of a response: those of `Media`, or else JSON. */
export function mediaTypesOf(schema: { [mediaTypes]?: readonly string[] } | object): readonly string[] {
  return (mediaTypes in schema ? schema[mediaTypes] : undefined) ?? ['application/json']
}
