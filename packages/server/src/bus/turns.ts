/** Members that take turns. */
export interface Turns<T> {
  add(member: T): () => void
  /** Undefined where there is none. */
  next(): T | undefined
  readonly size: number
}

export function createTurns<T>(): Turns<T> {
  const members: { member: T }[] = []
  let turn = 0
  return {
    add(member) {
      const seat = { member }
      members.push(seat)
      return () => {
        const place = members.indexOf(seat)
        if (place < 0) return
        members.splice(place, 1)
        if (place < turn) turn--
      }
    },
    next() {
      if (turn >= members.length) turn = 0
      const seat = members[turn]
      if (seat) turn++
      return seat?.member
    },
    get size() {
      return members.length
    },
  }
}

/** The turns of each name, made with the first member and gone with the last. */
export interface TurnsByName<T> {
  add(name: string, member: T): () => void
  next(name: string): T | undefined
  /** Those with a member. */
  names(): string[]
}

export function createTurnsByName<T>(): TurnsByName<T> {
  const named = new Map<string, Turns<T>>()
  return {
    add(name, member) {
      const turns = named.get(name) ?? createTurns<T>()
      named.set(name, turns)
      const leave = turns.add(member)
      return () => {
        leave()
        if (turns.size === 0 && named.get(name) === turns) named.delete(name)
      }
    },
    next: name => named.get(name)?.next(),
    names: () => [...named.keys()],
  }
}
