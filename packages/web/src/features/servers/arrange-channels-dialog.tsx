import type { Channel } from '@gatehouse/protocol/channels'
import { useState } from 'react'
import { Button, GridList, GridListItem } from 'react-aria-components/GridList'
import { useDragAndDrop } from 'react-aria-components/useDragAndDrop'
import { keys } from '../../core/api/keys.ts'
import { useChannels } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { isCategory, listMoves, moveRow, toRows } from '../../core/servers/channel-order.ts'
import { CheckField } from '../../ui/check-field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import './arrange-channels-dialog.css'

interface ArrangeChannelsDialogProps {
  serverId: string
  onClose(): void
}

/** Changes the order and the categories of the channels, by drag and by keyboard. */
export const ArrangeChannelsDialog = withSettingsTexts(function ArrangeChannelsDialog({
  serverId,
  onClose,
}: ArrangeChannelsDialogProps) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const { data: channels = [] } = useChannels(serverId)
  const [rows, setRows] = useState<readonly Channel[]>(() => toRows(channels))
  const [isSynced, setSynced] = useState(false)
  const form = useSubmit()
  const moves = listMoves(rows)
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: ids => [...ids].map(id => ({ 'text/plain': rows.find(row => row.id === id)?.name ?? '' })),
    onReorder({ keys: ids, target }) {
      const position = target.dropPosition === 'before' ? 'before' : 'after'
      for (const id of ids) setRows(moveRow(rows, String(id), { id: String(target.key), position }))
    },
  })

  async function save() {
    const body = moves.map(move => (isSynced && move.parentId ? { ...move, lockPermissions: true } : move))
    if (body.length > 0) await api.call('moveChannels', { id: serverId, body })
    await queries.invalidateQueries({ queryKey: keys.channels(serverId) })
    onClose()
  }

  return (
    <FormDialog
      title={t('server.arrangeChannels')}
      form={form}
      action={t('action.save')}
      isUnsaved={moves.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="hint">{t('arrange.hint')}</p>
      <GridList
        className="arrange-list"
        aria-label={t('nav.channels')}
        items={rows}
        dragAndDropHooks={dragAndDropHooks}
      >
        {row => (
          <GridListItem
            className={isCategory(row) ? 'arrange-row arrange-category' : 'arrange-row'}
            textValue={row.name ?? ''}
          >
            <Button slot="drag" className="icon-button">
              <Icon name="menu" />
            </Button>
            {!isCategory(row) && <Icon name="hash" />}
            <span className="ellipsis">{row.name}</span>
          </GridListItem>
        )}
      </GridList>
      {moves.some(({ parentId }) => parentId) && (
        <CheckField
          label={t('arrange.sync')}
          hint={t('arrange.syncHint')}
          checked={isSynced}
          onChange={setSynced}
        />
      )}
    </FormDialog>
  )
})
