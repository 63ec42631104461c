import type { Clock } from './clock.ts'

/** 2015-01-01T00:00:00Z: every id counts its milliseconds from here (D5). */
const EPOCH = 1_420_070_400_000
const LAST_NODE = 1023
const LAST_SEQUENCE = 4095

// Of 19 digits each part is a safe integer.
const splitDigits = 7
const splitAt = 10 ** splitDigits

interface Options {
  clock: Clock
  /** 0 to 1023, held by nobody else at this time. */
  node: number
}

/**
 * Makes ids: milliseconds since 2015 shifted by 22, 10 bits of node, 12 bits of sequence, as 19 decimal digits (D5), so
 * that they sort as text. Each is above the one before, also when the clock steps back; where the 4,096 of one
 * millisecond are used up, the next ones borrow from the millisecond to come.
 */
export function createSnowflakes({ clock, node }: Options): () => string {
  if (!Number.isInteger(node) || node < 0 || node > LAST_NODE) {
    throw new RangeError(`a node number is 0 to ${LAST_NODE}, not ${node}`)
  }
  const nodeBits = BigInt(node) << 12n
  let last = -1
  let sequence = 0
  // The first id of the millisecond, its digits in two parts: the others are counted up from there without a BigInt.
  let front = 0
  let back = 0
  return () => {
    const now = Math.floor(clock()) - EPOCH
    if (now > last) {
      last = now
      sequence = 0
    } else if (sequence < LAST_SEQUENCE) {
      sequence++
    } else {
      last++
      sequence = 0
    }
    if (sequence === 0) {
      const first = (BigInt(last) << 22n) | nodeBits
      front = Number(first / BigInt(splitAt))
      back = Number(first % BigInt(splitAt))
    }
    const rest = back + sequence
    return rest < splitAt ? digits(front, rest) : digits(front + 1, rest - splitAt)
  }
}

function digits(front: number, back: number): string {
  return front + String(back).padStart(splitDigits, '0')
}

/** Has the shape of an id: 17 to 20 digits, no leading zero. */
export function isSnowflake(text: string): boolean {
  return /^[1-9][0-9]{16,19}$/.test(text)
}

/** The time at which an id was made, in milliseconds since the Unix epoch. Throws on what is no id. */
export function snowflakeTime(id: string): number {
  if (!isSnowflake(id)) throw new TypeError('not an id')
  return Number(BigInt(id) >> 22n) + EPOCH
}

/** The lowest id of that millisecond: every id made earlier is below it. 19 digits from mid 2022 on. */
export function snowflakeAt(ms: number): string {
  if (!(ms >= EPOCH)) throw new RangeError('before the first id')
  return (BigInt(Math.floor(ms) - EPOCH) << 22n).toString()
}

/** Above every id, as text too: where a list that is read by keyset has no upper end. */
export const aboveAllIds: string = '9'.repeat(20)
