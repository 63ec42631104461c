import { useEffect } from 'react'

/** The title of the tab, followed by the product's name. */
export function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Gatehouse` : 'Gatehouse'
  }, [title])
}
