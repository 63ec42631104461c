/** Parts that have no id and never change places among themselves: their place is their key. */
export function inOrder<Item>(items: readonly Item[]): { key: string; item: Item }[] {
  return items.map((item, place) => ({ key: `place-${place}`, item }))
}
