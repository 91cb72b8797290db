import { Ago, Outcome } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { GroupDetail } from '../../../src/wire.js'
import { ActBar } from '../act-bar.js'
import { Advice } from '../advice.js'
import { AuditTable } from '../audits/table.js'
import { BackToList } from '../back-to-list.js'
import { digits } from '../digits.js'
import { ShapeChanges } from '../event/shape-changes.js'
import { Held } from '../held.js'
import { can, may } from '../me.js'
import { NeedsAudits } from '../needs-audits.js'
import { hrefOf } from '../route.js'
import { Section } from '../section.js'
import { cappedWords } from '../state-words.js'
import { Term } from '../term.js'
import { Shown, useView } from '../use-view.js'
import { stateActs } from './state-acts.js'
import { groupWords, holds, worstOf } from './words.js'

/** One cause: what failed, what changed, and what can be done with all of it. */
export function GroupPane({ id }: { readonly id: string }) {
  const view = useView<GroupDetail>(`groups/${pathPart(id)}`)
  return (
    <div class="inner stack">
      <Shown view={view} what="the cause">
        {(group) => <Detail group={group} />}
      </Shown>
    </div>
  )
}

function Detail({ group }: { readonly group: GroupDetail }) {
  const { code, title, advice, place, state, types, audits, isExampleDelivery } = group
  const [glyph, word] = groupWords[state]
  return (
    <>
      <div class="bar">
        <Outcome outcome={worstOf(group)} isPill>
          {code ?? 'unknown'}
        </Outcome>
        <Outcome outcome={glyph}>{word}</Outcome>
        <BackToList page="failures" isAtEnd />
      </div>
      <h2>{title}</h2>
      {place && <p class="mono faint">{place}</p>}
      {types.length > 0 && <Held types={types} />}
      <GroupActs group={group} />
      <Facts group={group} />
      <Advice of={advice} />
      {!isExampleDelivery && <ShapeChanges of={group} />}
      <Example group={group} />
      {group.error && <p class="mono faint">{group.error}</p>}
      {audits && (
        <Section title="Who did what">
          {audits.length > 0 && <AuditTable rows={audits} of={group.group} />}
          <p class="faint">
            {audits.length === 0 && 'No changes of the cause itself. '}
            {can('bulk') && (
              <>
                Operations by other conditions are under <a href={hrefOf('operations')}>Operations</a>.
              </>
            )}
          </p>
        </Section>
      )}
      <NeedsAudits what="Who changed it and why" />
    </>
  )
}

function Example({ group: { example, isExampleDelivery, isExampleGone } }: { readonly group: GroupDetail }) {
  return isExampleGone ? (
    <p class="faint">The example is no longer in quarantine: it was released or discarded.</p>
  ) : (
    <p>
      An example:{' '}
      <a class="mono" href={hrefOf(isExampleDelivery ? 'quarantine' : 'events', example)}>
        {example}
      </a>
    </p>
  )
}

function GroupActs({ group: whole }: { readonly group: GroupDetail }) {
  const { group, code, dead, failed, quarantined, isExampleDelivery, isCapped } = whole
  const atLeast = (count: number) => cappedWords({ count, isCapped })
  const hasEvents = dead + failed > 0 || !isExampleDelivery
  return (
    <div class="stack tight">
      <div class="bar">
        {can('bulk') && dead > 0 && may('events:replay') && (
          <a class="button primary" href={operationOf('replay', group)}>
            Replay {atLeast(dead)} dead…
          </a>
        )}
        {can('bulk') && failed > 0 && may('events:retry') && (
          <a class="button" href={operationOf('retryNow', group)}>
            Retry {atLeast(failed)} now…
          </a>
        )}
        {can('bulk') && dead > 0 && may('events:discard') && (
          <a class="button" href={operationOf('discard', group)}>
            Discard {atLeast(dead)}…
          </a>
        )}
        {hasEvents && (
          <a class="button" href={hrefOf('events', undefined, [['group', group]])}>
            Show the events
          </a>
        )}
        {quarantined > 0 && (
          <a class="button" href={hrefOf('quarantine', undefined, [['code', code ?? '']])}>
            Show the quarantined deliveries
          </a>
        )}
      </div>
      <ActBar what="this cause" acts={stateActs(whole)} />
    </div>
  )
}

const operationOf = (action: string, group: string) =>
  hrefOf('operations', 'new', [
    ['action', action],
    ['group', group],
  ])

/** The server notes a repeated failure with this delay at most, in milliseconds. */
const mostLag = 10_000

/** Whether a success is certainly later than the last failure. */
const isAfter = (successAt: string | undefined, failureAt: string): boolean =>
  successAt !== undefined && Date.parse(successAt) > Date.parse(failureAt) + mostLag

function Facts({ group }: { readonly group: GroupDetail }) {
  const { firstSeenAt, lastSeenAt, types, lastSuccessAt, isCapped, count, givenUp } = group
  return (
    <dl class="life">
      <Term name="Now">
        {holds(group)}
        {givenUp &&
          `, of which a person gave up ${givenUp < group.dead ? 'at least ' : ''}${digits(givenUp)}`}
        {isCapped && `, or more: only ${digits(count)} were counted`}
      </Term>
      <Term name="First seen">
        <Ago at={firstSeenAt} />
      </Term>
      <Term name="Last seen">
        <Ago at={lastSeenAt} />
      </Term>
      <Term name="Last success">
        {lastSuccessAt ? <Ago at={lastSuccessAt} /> : 'none is kept'}
        {isAfter(lastSuccessAt, lastSeenAt) &&
          ', an event of this type, after the last failure. Others can still fail.'}
      </Term>
      <Term name="Types">{types.length > 0 ? types.join(', ') : 'none known'}</Term>
    </dl>
  )
}
