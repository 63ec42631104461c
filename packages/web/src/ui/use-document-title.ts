import { useEffect } from 'react'

/** Sets the title of the document, followed by the product name. */
export function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Gatehouse` : 'Gatehouse'
  }, [title])
}
