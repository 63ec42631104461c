import { useEffect } from 'react'
import { shownInstance } from '../core/instance.ts'

/**
 * Sets the title of the document: the parts and the name of the community. Each name stands once, because a server
 * often has the name of the community.
 */
export function useDocumentTitle(parts: readonly (string | undefined)[], prefix = ''): void {
  const shown = [...new Set([...parts, shownInstance().name])].filter(Boolean).join(' · ')
  useEffect(() => {
    document.title = prefix + shown
  }, [prefix, shown])
}
