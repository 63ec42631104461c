import { useTabIndex } from './roving-focus.ts'

/** A button in a notice. */
export function NoticeAction({ label, onPress }: { label: string; onPress(): void }) {
  return (
    <button type="button" className="notice-action" tabIndex={useTabIndex()} onClick={onPress}>
      {label}
    </button>
  )
}
