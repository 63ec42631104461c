import { Suspense, useState } from 'react'
import { useOwnershipTransfers } from '../core/api/queries.ts'
import { useClient } from '../core/client-context.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { AcceptOfferDialog } from '../features/servers/index.ts'
import { useConfirm } from '../ui/use-confirm.ts'
import { userText } from '../ui/user-name.tsx'

/** The servers that are offered to the user, who accepts or declines. */
export function OwnershipOffers({ selfId }: { selfId: string }) {
  const t = useT()
  const { api } = useClient()
  const confirm = useConfirm()
  const offers = useOwnershipTransfers().filter(({ user }) => user.id === selfId)
  const [acceptedId, setAcceptedId] = useState<string>()
  // Closes if the offer ends.
  const accepted = offers.find(({ server }) => server.id === acceptedId)
  return (
    <div role="status">
      {accepted && (
        <Suspense fallback={null}>
          <AcceptOfferDialog offer={accepted} onClose={() => setAcceptedId(undefined)} />
        </Suspense>
      )}
      {offers.map(({ server, owner }) => {
        const names = { server: server.name, name: userText(owner) }
        const { id } = server
        const decline = {
          title: t('transfer.decline'),
          text: t('transfer.declineConfirm', names),
          run: () => api.call('endOwnershipTransfer', { id }),
        }
        return (
          <div key={id} className="ownership-offer">
            <p className="grow">{t('transfer.received', names)}</p>
            <button type="button" className="button small" onClick={() => setAcceptedId(id)}>
              {t('transfer.accept')}
            </button>
            <button type="button" className="button secondary small" onClick={() => confirm(decline)}>
              {t('transfer.decline')}
            </button>
          </div>
        )
      })}
    </div>
  )
}
