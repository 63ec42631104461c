/** Selects the members in rotation. */
export function createRoundRobin<T>() {
  const members: { member: T }[] = []
  let nextIndex = 0
  return {
    /** Returns a function that removes the member. The same member may be added more than once. */
    add(member: T): () => void {
      const entry = { member }
      members.push(entry)
      return () => {
        const index = members.indexOf(entry)
        if (index < 0) return
        members.splice(index, 1)
        if (index < nextIndex) nextIndex--
      }
    },
    /** The next member that `accepts`. Undefined if there is none. */
    next(accepts: (member: T) => boolean = () => true): T | undefined {
      for (let tried = 0; tried < members.length; tried++) {
        if (nextIndex >= members.length) nextIndex = 0
        const entry = members[nextIndex++]
        if (entry && accepts(entry.member)) return entry.member
      }
      return undefined
    },
    get size() {
      return members.length
    },
  }
}

/** One rotation per name. A name exists while it has members. */
export function createNamedRoundRobins<T>() {
  const byName = new Map<string, ReturnType<typeof createRoundRobin<T>>>()
  return {
    add(name: string, member: T): () => void {
      const roundRobin = byName.get(name) ?? createRoundRobin<T>()
      byName.set(name, roundRobin)
      const remove = roundRobin.add(member)
      return () => {
        remove()
        if (roundRobin.size === 0 && byName.get(name) === roundRobin) byName.delete(name)
      }
    },
    next: (name: string) => byName.get(name)?.next(),
  }
}
