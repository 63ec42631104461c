import { firstCluster } from '@gatehouse/protocol/text'

export function initials(name: string): string {
  const words = name.trim().split(/\s+/).slice(0, 2)
  return words.map(word => firstCluster(word).toUpperCase()).join('') || '?'
}
