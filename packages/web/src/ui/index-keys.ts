/** React keys for items without an id whose order never changes. */
export function withIndexKeys<Item>(items: readonly Item[]): { key: string; item: Item }[] {
  return items.map((item, index) => ({ key: `index-${index}`, item }))
}
