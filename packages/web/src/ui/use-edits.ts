import { useState } from 'react'

/** The edits whose values are not those of `other`: the record, or the edits that were submitted. */
export function editsExcept<Fields extends object>(
  edits: Partial<Fields>,
  other: Partial<Fields>,
): Partial<Fields> {
  const kept = Object.entries(edits).filter(([name, value]) => value !== other[name as keyof Fields])
  return Object.fromEntries(kept) as Partial<Fields>
}

/**
 * The fields of a form that edits a record. A field that is not edited shows changes by others and is not in `changes`.
 * The values must not be objects, because they are compared with `===`.
 */
export function useEdits<Fields extends object>(saved: Fields) {
  const [edits, setEdits] = useState<Partial<Fields>>({})
  const changes = editsExcept(edits, saved)
  return {
    fields: { ...saved, ...edits },
    changes,
    dirty: Object.keys(changes).length > 0,
    edit: (edited: Partial<Fields>) => setEdits(current => ({ ...current, ...edited })),
    /** To be called when the changes of this render are saved. What the user has entered since then remains. */
    dropSubmitted: () => setEdits(current => editsExcept(current, edits)),
  }
}
