/** The length in Unicode code points, as the service counts it (limits/text-length). */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
