import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { LocalizedError } from '../../i18n/localized-error.ts'

/** The cost parameters of argon2id: `memory` in KiB and the number of passes. The parallelism is 1. */
export interface CostParameters {
  memory: number
  passes: number
}

/** OWASP, Password Storage Cheat Sheet. */
const defaultCosts = { memory: 19_456, passes: 2 } as const satisfies CostParameters

const SALT_BYTES = 16
const TAG_BYTES = 32
/** The number of concurrent computations. Each needs its own memory. */
const MAX_CONCURRENT = 2
/** The length of the queue, which takes some seconds. Beyond it the caller gets `unavailable`. */
const MAX_QUEUED = 500

export interface Passwords {
  /** Returns a PHC string with the cost parameters and the salt. Throws `unavailable` if the queue is full. */
  hash(password: string): Promise<string>
  /**
   * Without a hash it computes one nevertheless and returns false, so that the time does not reveal whether the account
   * exists. Throws `unavailable` if the queue is full.
   */
  verify(password: string, phcString: string | undefined): Promise<boolean>
  /** Whether the hash has other cost parameters than the current ones. */
  needsRehash(phcString: string): boolean
}

/** Argon2id (RFC 9106) in the thread pool of Node.js, with a queue. */
export function createPasswords(costs: CostParameters = defaultCosts): Passwords {
  const enqueue = createQueue()
  const computeTag = promisify(argon2)
  function derive(
    password: string,
    costs: CostParameters,
    nonce: Buffer,
    tagLength: number,
  ): Promise<Uint8Array> {
    // Keyboards send different Unicode forms of the same characters (NIST SP 800-63B §5.1.1.2).
    const message = Buffer.from(password.normalize('NFKC'), 'utf8')
    const { memory, passes } = costs
    return enqueue(() =>
      computeTag('argon2id', { message, nonce, tagLength, memory, passes, parallelism: 1 }),
    )
  }
  const decoy: ParsedHash = { ...costs, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) }
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return format({ ...costs, salt, tag: await derive(password, costs, salt, TAG_BYTES) })
    },
    async verify(password, phcString) {
      const expected = (phcString === undefined ? undefined : parse(phcString)) ?? decoy
      const tag = await derive(password, expected, expected.salt, expected.tag.length)
      return timingSafeEqual(tag, expected.tag) && expected !== decoy
    },
    needsRehash(phcString) {
      const parsed = parse(phcString)
      return parsed === undefined || parsed.memory !== costs.memory || parsed.passes !== costs.passes
    },
  }
}

interface ParsedHash extends CostParameters {
  salt: Buffer
  tag: Uint8Array
}

/** The PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`, base64 without padding. */
function format({ memory, passes, salt, tag }: ParsedHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${unpadded(salt)}$${unpadded(tag)}`
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}

function parse(phcString: string): ParsedHash | undefined {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phcString)
  if (!match) return undefined
  const [, memory, passes, salt = '', tag = ''] = match
  return {
    memory: Number(memory),
    passes: Number(passes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** A first-in, first-out queue that runs MAX_CONCURRENT tasks. */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async task => {
    if (running < MAX_CONCURRENT) running++
    else if (waiting.length < MAX_QUEUED) await new Promise<void>(resolve => waiting.push(resolve))
    else throw new LocalizedError('unavailable', 'error.tooManySignIns', { retryAfter: 5 })
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      // `running` does not change: the next task replaces this one.
      if (next) next()
      else running--
    }
  }
}
