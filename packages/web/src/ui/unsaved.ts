import { createContext, useContext, useEffect, useId, useMemo } from 'react'
import { useNavigate } from 'react-router'
import { useT } from '../core/i18n/i18n.tsx'
import { type Confirmation, useConfirm } from './use-confirm.ts'

/** What leaving would lose: input, or a secret that is shown once. */
export type UnsavedKind = 'changes' | 'secret'

/** The forms of a page or dialog, and the secrets on it, that leaving would lose. */
interface Unsaved {
  /** Undefined: nothing would be lost. */
  mark(form: string, kind: UnsavedKind | undefined): void
  /** Runs `run`, which unmounts the forms. Opens a confirmation first if something would be lost. */
  leave(run: () => void): void
  /** Discards the changes, because the edited object was deleted. */
  forget(): void
}

const Context = createContext<Unsaved>({ mark: () => {}, leave: run => run(), forget: () => {} })

export const UnsavedProvider = Context.Provider

export function useUnsaved(): Unsaved {
  return useContext(Context)
}

/** Marks this form as having something that leaving would lose. */
export function useMarkUnsaved(unsaved: boolean, kind: UnsavedKind = 'changes'): void {
  useMarkIn(useUnsaved(), unsaved, kind)
}

/** The same in the component that has the `Unsaved`. */
export function useMarkIn({ mark }: Unsaved, unsaved: boolean, kind: UnsavedKind = 'changes'): void {
  const form = useId()
  useEffect(() => {
    mark(form, unsaved ? kind : undefined)
    return () => mark(form, undefined)
  }, [mark, form, unsaved, kind])
}

interface UnsavedOptions {
  /** The texts of the confirmation if a secret would be lost. */
  secretTexts?: Pick<Confirmation, 'title' | 'text' | 'action'>
  /** Of a dialog, which closes itself before it navigates. Nothing else on the page can be pressed. */
  isModal?: boolean
}

/**
 * Opens a confirmation before a navigation away from what has unsaved changes. Links and the buttons of the browser
 * need the Navigation API; without it, only `leave` and `beforeunload` do so.
 */
export function useUnsavedForms({ secretTexts, isModal = false }: UnsavedOptions = {}): Unsaved {
  const t = useT()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const { title, text, action } = secretTexts ?? {}
  const unsaved = useMemo(() => {
    const forms = new Map<string, UnsavedKind>()
    return {
      forms,
      mark(form: string, kind: UnsavedKind | undefined) {
        if (kind) forms.set(form, kind)
        else forms.delete(form)
      },
      leave(run: () => void) {
        if (forms.size === 0) return run()
        const hasSecret = [...forms.values()].includes('secret')
        confirm({
          title: (hasSecret && title) || t('settings.unsaved'),
          text: (hasSecret && text) || t('settings.unsavedText'),
          action: (hasSecret && action) || t('settings.discard'),
          run: async () => {
            forms.clear()
            run()
          },
        })
      },
      forget: () => forms.clear(),
    }
  }, [confirm, t, title, text, action])
  useEffect(() => {
    const { forms, leave } = unsaved
    const onUnload = (event: BeforeUnloadEvent) => {
      if (forms.size > 0) event.preventDefault()
    }
    const onNavigate = (event: NavigateEvent) => {
      const { destination, navigationType } = event
      const { pathname, search, hash } = new URL(destination.url ?? '', location.href)
      if (forms.size === 0 || !event.cancelable || !destination.sameDocument) return
      if (pathname === location.pathname || (isModal && navigationType !== 'traverse')) return
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
  }, [unsaved, navigate, isModal])
  return unsaved
}
