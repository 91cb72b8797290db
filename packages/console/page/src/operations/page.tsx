import { Ago, CoverLink, Outcome, Table, TableHead } from 'webhook-inbox-ui'
import { actionNames, bulkActions } from '../../../src/bulk-actions.js'
import type { GroupRow, Page, RunView } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { can, may } from '../me.js'
import { NeedsAudits } from '../needs-audits.js'
import { Older } from '../older.js'
import { hrefOf, route } from '../route.js'
import { Shown, useEverySecond, useView } from '../use-view.js'
import { OutcomeWords } from './outcome-words.js'
import { PlanPage } from './plan.js'
import { RunPage } from './run.js'
import { WhereWords } from './where.js'
import { actWord, bulkWords, byWords, isGoing, stateOf, verdictOf } from './words.js'

/** Operations on many events: the list, a new one, or the open one. */
export function OperationsPage() {
  const { id, query } = route.value
  if (id === 'new') {
    return <PlanPage key={String(query)} />
  }
  return id === undefined ? <Runs /> : <RunPage key={id} id={id} />
}

function Runs() {
  const cursor = route.value.query.get('cursor') ?? ''
  const view = useView<Page<RunView>>(`runs?${new URLSearchParams({ limit: '50', cursor })}`)
  useEverySecond(view, view.value?.rows.some(isGoing) ?? false)
  return (
    <div class="inner stack">
      <div class="bar">
        <h1>Operations</h1>
        {actionNames.some((name) => may(bulkActions[name].right)) && (
          <a class="button end" href={hrefOf('operations', 'new')}>
            Act on many…
          </a>
        )}
      </div>
      <Shown view={view} what="the operations">
        {({ rows, next }) => (
          <>
            {rows.length > 0 ? (
              <>
                <RunTable rows={rows} />
                <NeedsAudits what="Who started them and why" />
              </>
            ) : (
              <p class="faint">No operation yet. Search for events or open a cause, and start one there.</p>
            )}
            {next && <Older href={hrefOf('operations', undefined, [['cursor', next]])} />}
          </>
        )}
      </Shown>
    </div>
  )
}

function RunTable({ rows }: { readonly rows: readonly RunView[] }) {
  const hasCauses = can('failures') && rows.some(({ where }) => where?.group !== undefined)
  const { value: causes } = useView<Page<GroupRow>>(hasCauses ? 'groups?limit=200' : undefined)
  const titles = new Map(
    causes?.rows.map((row) => [row.group, [row.title, row.error].filter(Boolean).join(' ')]),
  )
  return (
    <div class="card">
      <Table label="Operations" class="list causes">
        <TableHead headings={['What', 'State', ...(may('audits:read') ? ['Who and why'] : []), 'Started']} />
        <tbody>
          {rows.map((run) => (
            <tr key={run.id}>
              <td class="cause">
                <CoverLink id={run.id} href={hrefOf('operations', run.id)} isOpen={false}>
                  {bulkWords[run.action].word} {digits(run.count)}
                </CoverLink>
                {run.where && (
                  <p>
                    <WhereWords where={run.where} titles={titles} />
                  </p>
                )}
                <p class="faint">
                  <OutcomeWords run={run} />
                </p>
              </td>
              <td>
                <Outcome outcome={verdictOf(run)}>{stateOf(run)}</Outcome>
              </td>
              {may('audits:read') && (
                <td class="settled">
                  {run.actor}
                  <p class="faint">{run.reason}</p>
                  <LastAct run={run} />
                </td>
              )}
              <td class="faint seen">
                <Ago at={run.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}

/** Who brought a run into its state, if that is not who started it. */
function LastAct({ run }: { readonly run: RunView }) {
  const [act] = run.acts ?? []
  return act && act.action !== 'resumeRun' ? (
    <p class="faint">
      {actWord(act)}
      {byWords(act)}
    </p>
  ) : null
}
