/** In words that go on after "could not be reached:" or "failed:". */
const words = {
  refused_address: 'it is at an address that this service does not reach',
  dns: 'its name was not found',
  connect: 'no connection could be made',
  tls: 'no secure connection could be made',
  timeout: 'it did not answer in time',
  broken: 'the connection broke off',
  too_large: 'its answer is too large',
  encoded: 'its answer is compressed, which was not asked for',
  redirect: 'it answered with a redirect, which is not followed',
} as const

export type OutgoingReason = keyof typeof words

/**
 * An outgoing request that came to nothing. The message names neither the address nor a body, and is the same for every
 * address that is refused (D67): it may be shown and logged.
 */
export class OutgoingError extends Error {
  readonly reason: OutgoingReason

  /** `detail`: a code of the runtime's (`ECONNREFUSED`, `CERT_HAS_EXPIRED`) or a status. */
  constructor(reason: OutgoingReason, detail?: string | number) {
    super(detail === undefined ? words[reason] : `${words[reason]} (${detail})`)
    this.name = 'OutgoingError'
    this.reason = reason
  }
}
