import { useEffect } from 'react'
import { shownInstance } from '../core/instance.ts'

/** Sets the title of the document, followed by the name of the community. */
export function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    const { name } = shownInstance()
    document.title = title ? `${title} · ${name}` : name
  }, [title])
}
