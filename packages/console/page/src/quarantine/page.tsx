import { Ago, CoverLink, Outcome, TableHead } from 'webhook-inbox-ui'
import type { QuarantineList, QuarantineRow } from '../../../src/wire.js'
import { Older } from '../older.js'
import { hrefOf, route } from '../route.js'
import { cappedWords, times } from '../state-words.js'
import { Shown, useView } from '../use-view.js'
import { deliveryName } from './delivery-name.js'
import { DeliveryPane } from './pane.js'
import { verifyAllHref, verifyAllId } from './verification.js'
import { mayVerify, VerifyAllPane } from './verify-all.js'

/** Deliveries that are authentic and cannot be processed. */
export function QuarantinePage() {
  const { id, query } = route.value
  const cursor = query.get('cursor') ?? ''
  const code = query.get('code') ?? ''
  const view = useView<QuarantineList>(`quarantine?${new URLSearchParams({ limit: '100', cursor, code })}`)
  return (
    <div class={id === undefined ? 'columns' : 'columns with-pane'}>
      <div class="list-column">
        <h1>Quarantine</h1>
        <div class="filters bar">
          <Causes code={code} causes={view.value?.causes} />
          {mayVerify() && (view.value?.rows.length ?? 0) > 0 && (
            <a class="button" href={verifyAllHref(code)}>
              Verify again all that match…
            </a>
          )}
        </div>
        <Shown view={view} what="the quarantine">
          {({ rows, next }) => (
            <>
              {rows.length > 0 ? (
                <Table rows={rows} />
              ) : (
                <p class="blank faint">
                  {code === ''
                    ? 'Nothing is quarantined. Refused deliveries are not kept.'
                    : 'No delivery with this cause is quarantined.'}
                </p>
              )}
              {next && (
                <p class="blank">
                  <Older
                    href={hrefOf('quarantine', undefined, [
                      ['code', code],
                      ['cursor', next],
                    ])}
                  />
                </p>
              )}
            </>
          )}
        </Shown>
      </div>
      {id !== undefined && (
        <aside class="pane" aria-label={id === verifyAllId ? 'Verify again' : 'Delivery'}>
          {id === verifyAllId ? <VerifyAllPane key={code} code={code} /> : <DeliveryPane key={id} id={id} />}
        </aside>
      )}
    </div>
  )
}

interface CausesProps {
  readonly code: string
  readonly causes: QuarantineList['causes'] | undefined
}

/** A filter for each cause. The one of the address is there even if it holds nothing. */
function Causes({ code: chosen, causes = [] }: CausesProps) {
  const isKnown = chosen === '' || causes.some(({ code }) => code === chosen)
  const all = isKnown ? causes : [...causes, { code: chosen, count: 0, isCapped: false }]
  return all.length > 0 ? (
    <nav class="chips" aria-label="Filter by cause">
      {[{ code: '', count: 0, isCapped: false }, ...all].map(({ code, ...count }) => (
        <a
          key={code}
          class="button"
          href={hrefOf('quarantine', undefined, [['code', code]])}
          aria-current={code === chosen ? 'true' : undefined}
        >
          {code === '' ? 'All' : `${code} ${cappedWords(count)}`}
        </a>
      ))}
    </nav>
  ) : null
}

function Table({ rows }: { readonly rows: readonly QuarantineRow[] }) {
  return (
    <table class="list" aria-label="Quarantined deliveries">
      <TableHead headings={['Received', 'Cause', 'Event', 'Arrived', 'Meaning']} />
      <tbody>
        {rows.map(({ key, receivedAt, code, fact, eventId, deliveries, ...row }) => (
          <tr key={key} class={route.value.id === key ? 'open' : undefined}>
            <td class="faint when">
              <Ago at={receivedAt} />
            </td>
            <td class="verdict">
              <CoverLink
                id={key}
                href={hrefOf('quarantine', key, route.value.query)}
                isOpen={route.value.id === key}
              >
                <Outcome outcome="quarantined">{code}</Outcome>
              </CoverLink>
            </td>
            <td class={eventId === undefined ? 'faint type' : 'mono type'}>
              {deliveryName({ eventId, ...row })}
            </td>
            <td class="faint answer">{times(deliveries)}</td>
            <td class="faint remark">{fact}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
