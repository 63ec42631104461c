import { type Select, selectBounds } from '@gatehouse/protocol/components'
import type { Message } from '@gatehouse/protocol/messages'
import { Suspense, useRef, useState } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { hasFailed, type Invocation } from '../../core/stores/invocations.ts'
import { Icon } from '../../ui/icon.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { useTabIndex } from '../../ui/roving-focus.ts'
import { listSelectCandidates, selectsMembers } from '../commands/index.ts'
import './select-menu.css'

const load = () => import('./select-popover.tsx').then(part => part.SelectPopover)
const SelectPopover = lazyComponent(load)
// If this fails, opening the menu loads the chunk again.
const preload = () => void load().catch(() => undefined)

interface SelectMenuProps {
  message: Message
  menu: Select
  invocation: Invocation | undefined
}

/** A select menu of a message. The button shows what the user selected, and opens the list. */
export function SelectMenu({ message, menu, invocation }: SelectMenuProps) {
  const t = useT()
  const { invocations } = useClient()
  const channel = useChannelContext()
  const tabIndex = useTabIndex()
  const trigger = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [used, setUsed] = useState<readonly string[]>()
  // A menu that the bot changed shows its defaults.
  const [shownMenu, setShownMenu] = useState(menu)
  if (shownMenu !== menu && JSON.stringify(shownMenu) !== JSON.stringify(menu)) {
    setShownMenu(menu)
    setUsed(undefined)
  }
  const selected = used ?? defaultValues(menu)
  const { customId, disabled } = menu
  const { min, max } = selectBounds(menu)
  const busy = invocation !== undefined && !hasFailed(invocation)
  // Of the defaults in a large server, only as many as the button has room for.
  const loaded = used ?? selected.slice(0, 5)
  const { members } = useAllMembers(selectsMembers(menu) ? channel.channel.serverId : null, loaded)
  const candidates = listSelectCandidates(menu, { ...channel, members }, t)
  const label = menu.placeholder ?? t('select.placeholder')
  const texts = selected.flatMap(id => candidates.find(({ value }) => value === id)?.text ?? [])

  function use(values: readonly string[]) {
    setOpen(false)
    setUsed(values)
    void invocations.invokeComponent(
      { channelId: message.channelId, messageId: message.id, customId, values: [...values] },
      {
        botName: message.author.displayName,
        describe: error =>
          error instanceof ApiError && error.code === 'not_found'
            ? t('interaction.menuNotFound')
            : problemText(error, t),
      },
    )
  }

  return (
    <>
      <button
        ref={trigger}
        type="button"
        className="select-menu"
        tabIndex={tabIndex}
        disabled={disabled}
        aria-label={texts.length > 0 ? `${label}: ${texts.join(', ')}` : label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-busy={busy}
        aria-disabled={busy}
        title={busy ? t('interaction.busy') : undefined}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => busy || setOpen(true)}
      >
        <span className={texts.length > 0 ? 'ellipsis grow' : 'ellipsis grow quiet'}>
          {texts.length > 0 ? texts.join(', ') : label}
        </span>
        {busy ? <span className="spinner" aria-hidden="true" /> : <Icon name="chevron" />}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <SelectPopover
            label={label}
            menu={menu}
            // After a failure, the user can select the same value again.
            selected={invocation && max === 1 ? defaultValues(menu) : selected}
            min={min}
            max={max}
            trigger={trigger}
            onSubmit={use}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

function defaultValues(menu: Select): readonly string[] {
  if (menu.type !== 'string_select') return (menu.defaultValues ?? []).map(({ id }) => id)
  return menu.options.filter(option => option.default === true).map(({ value }) => value)
}
