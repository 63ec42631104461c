import { createContext, useContext, useEffect, useId, useMemo } from 'react'
import { useNavigate } from 'react-router'
import { useT } from '../core/i18n/i18n.tsx'
import { useConfirm } from './confirm.tsx'

/** The forms of a page with unsaved changes. */
interface Unsaved {
  mark(form: string, unsaved: boolean): void
  /** Runs `run`, which unmounts the forms. Opens a confirmation first if changes would be lost. */
  leave(run: () => void): void
  /** Discards the changes, because the edited object was deleted. */
  forget(): void
}

const Context = createContext<Unsaved>({ mark: () => {}, leave: run => run(), forget: () => {} })

export const UnsavedProvider = Context.Provider

export function useUnsaved(): Unsaved {
  return useContext(Context)
}

/** Marks this form as having unsaved changes. */
export function useMarkUnsaved(unsaved: boolean): void {
  const { mark } = useUnsaved()
  const form = useId()
  useEffect(() => {
    mark(form, unsaved)
    return () => mark(form, false)
  }, [mark, form, unsaved])
}

/**
 * Opens a confirmation before a navigation away from a page with unsaved changes. Links and the buttons of the browser
 * need the Navigation API; without it, only `leave` and `beforeunload` do so.
 */
export function useUnsavedForms(): Unsaved {
  const t = useT()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const unsaved = useMemo(() => {
    const forms = new Set<string>()
    return {
      forms,
      mark(form: string, dirty: boolean) {
        if (dirty) forms.add(form)
        else forms.delete(form)
      },
      leave(run: () => void) {
        if (forms.size === 0) return run()
        confirm({
          title: t('settings.unsaved'),
          text: t('settings.unsavedText'),
          action: t('settings.discard'),
          run: async () => {
            forms.clear()
            run()
          },
        })
      },
      forget: () => forms.clear(),
    }
  }, [confirm, t])
  useEffect(() => {
    const { forms, leave } = unsaved
    const onUnload = (event: BeforeUnloadEvent) => {
      if (forms.size > 0) event.preventDefault()
    }
    const onNavigate = (event: NavigateEvent) => {
      const { destination, navigationType } = event
      const { pathname, search, hash } = new URL(destination.url ?? '', location.href)
      if (forms.size === 0 || !event.cancelable || !destination.sameDocument) return
      if (pathname === location.pathname) return
      event.preventDefault()
      leave(() => {
        if (navigationType === 'traverse') window.navigation.traverseTo(destination.key)
        else void navigate(pathname + search + hash, { replace: navigationType === 'replace' })
      })
    }
    window.addEventListener('beforeunload', onUnload)
    window.navigation?.addEventListener('navigate', onNavigate)
    return () => {
      window.removeEventListener('beforeunload', onUnload)
      window.navigation?.removeEventListener('navigate', onNavigate)
    }
  }, [unsaved, navigate])
  return unsaved
}
