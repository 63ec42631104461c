import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'

/** Costs of argon2id: `memory` in KiB, `passes` over it. One lane. */
interface Costs {
  memory: number
  passes: number
}

/** What OWASP's Password Storage Cheat Sheet asks of argon2id. */
const usualCosts = { memory: 19_456, passes: 2 } as const satisfies Costs

const SALT_BYTES = 16
const TAG_BYTES = 32
/** How many are computed at once: each holds its memory for as long as it takes. */
const AT_ONCE = 2
/** How many may wait for their turn, some seconds' worth; beyond it the caller is told to come back. */
const WAITING = 500

export interface Passwords {
  /** The PHC text to store, with its costs and its salt. Throws `unavailable` where too many wait. */
  hash(password: string): Promise<string>
  /**
   * Whether `password` is the one of `stored`. With `undefined` as `stored` the same work is done for nothing, so that
   * time does not tell whether there was something to compare with. Throws `unavailable` where too many wait.
   */
  verify(password: string, stored: string | undefined): Promise<boolean>
  /** Whether `stored` was made with other costs than those of today. */
  needsRehash(stored: string): boolean
}

/** Passwords by argon2id (RFC 9106) of the runtime, off the main thread, two at a time. */
export function createPasswords(costs: Costs = usualCosts): Passwords {
  const inTurn = createTurns()
  const decoy: Parsed = { ...costs, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) }
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return format({ ...costs, salt, tag: await inTurn(() => derive(password, costs, salt, TAG_BYTES)) })
    },
    async verify(password, stored) {
      const expected = (stored === undefined ? undefined : parse(stored)) ?? decoy
      const tag = await inTurn(() => derive(password, expected, expected.salt, expected.tag.length))
      return timingSafeEqual(tag, expected.tag) && expected !== decoy
    },
    needsRehash(stored) {
      const parsed = parse(stored)
      return parsed === undefined || parsed.memory !== costs.memory || parsed.passes !== costs.passes
    },
  }
}

interface Parsed extends Costs {
  salt: Buffer
  tag: Buffer
}

/** The PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`, base64 without padding. */
function format({ memory, passes, salt, tag }: Parsed): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${unpadded(salt)}$${unpadded(tag)}`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

function parse(stored: string): Parsed | undefined {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored)
  if (!match) return undefined
  const [, memory, passes, salt = '', tag = ''] = match
  return {
    memory: Number(memory),
    passes: Number(passes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function derive(
  password: string,
  { memory, passes }: Costs,
  nonce: Buffer,
  tagLength: number,
): Promise<Buffer> {
  // One password has several spellings in Unicode, and keyboards differ in which they send (NIST SP 800-63B §5.1.1.2).
  const message = Buffer.from(password.normalize('NFKC'), 'utf8')
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  argon2('argon2id', { message, nonce, parallelism: 1, tagLength, memory, passes }, (error, tag) => {
    if (error) reject(error)
    else resolve(tag)
  })
  return promise
}

/** Lets `AT_ONCE` pieces of work run, the others wait in the order in which they came. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async work => {
    if (running < AT_ONCE) running++
    else if (waiting.length < WAITING) await new Promise<void>(resolve => waiting.push(resolve))
    else
      throw new AppError('unavailable', 'Too many people are signing in. Try again in a moment.', {
        retryAfter: 5,
      })
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The turn is handed on, so `running` stays.
      if (next) next()
      else running--
    }
  }
}
