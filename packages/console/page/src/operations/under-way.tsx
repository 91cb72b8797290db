import { Ago, Note } from 'webhook-inbox-ui'
import type { RunView } from '../../../src/wire.js'
import { hrefOf } from '../route.js'
import { counted } from '../state-words.js'
import { bulkWords, stateOf } from './words.js'

export const idsOf = (runs: readonly RunView[]): string[] => runs.map(({ id }) => id)

/** Warns of each operation that may change the same events. */
export const UnderWay = ({ runs }: { readonly runs: readonly RunView[] }) => (
  <>
    {runs.map((run) => (
      <Note key={run.id} outcome="quarantined">
        <p>
          Another operation that may change the same events{' '}
          {run.state === 'stopped' ? 'can be continued' : 'has not ended'}:{' '}
          <a href={hrefOf('operations', run.id)}>
            {bulkWords[run.action].word} {counted(run.count)}
          </a>
          {run.actor && ` by ${run.actor}`}, started <Ago at={run.createdAt} />. {stateOf(run)}.
        </p>
      </Note>
    ))}
  </>
)
