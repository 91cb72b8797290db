import { useEffect, useState } from 'preact/hooks'
import { Glyph } from 'webhook-inbox-ui'
import { actionNames, bulkActions } from '../../../src/bulk-actions.js'
import { localTime, timeOfForm } from '../local-time.js'
import { can, may, me } from '../me.js'
import { unusable } from '../operations/plan.js'
import { givenIn, go, hrefOf, route } from '../route.js'
import { StateMark } from '../state-mark.js'
import { states } from '../state-words.js'
import { conditions, filterOf, withCondition } from './filter.js'
import { SavedViews } from './saved-views.js'

/** The conditions of the list, its saved views, and what can be done with all that match. */
export function FilterBar() {
  const { query } = route.value
  const state = query.get('state') ?? ''
  const group = query.get('group') ?? ''
  const [written, setWritten] = useState<Written>()
  // What is typed counts until the address changes, also if that comes back.
  useEffect(() => setWritten(undefined), [String(query)])
  const typed = written && written.over === String(query) ? written.query : query
  const writtenIn = (form: HTMLFormElement) =>
    new URLSearchParams([...conditionsOf(form), ['state', state], ['group', group]])
  return (
    <div class="filters stack tight">
      <form
        class="stack tight"
        onInput={({ currentTarget }) => setWritten({ over: String(query), query: writtenIn(currentTarget) })}
        onReset={() => setWritten(undefined)}
        onSubmit={(event) => {
          event.preventDefault()
          go(hrefOf('events', undefined, writtenIn(event.currentTarget)))
        }}
      >
        <div class="bar">
          <search class="search grow">
            <Glyph name="search" />
            <input
              id="search"
              key={query.get('text')}
              name="text"
              type="search"
              aria-label="Text of the error"
              placeholder="text of the error"
              defaultValue={query.get('text') ?? ''}
            />
            <kbd>/</kbd>
          </search>
          {(['type', 'id'] as const).map((name) => (
            <input
              key={name + query.get(name)}
              class="condition"
              name={name}
              aria-label={name}
              placeholder={name === 'type' ? 'type, or transfer.*' : 'the whole id'}
              spellcheck={false}
              defaultValue={query.get(name) ?? ''}
            />
          ))}
          <button type="submit">Find</button>
          {filterOf(query).length > 0 && (
            <a
              class="button quiet"
              href={hrefOf('events')}
              onClick={({ currentTarget }) => currentTarget.closest('form')?.reset()}
            >
              Show all
            </a>
          )}
        </div>
        <More query={query} />
      </form>
      <div class="bar between">
        <nav class="chips" aria-label="Filter by state">
          {(['', ...states] as const).map((each) => (
            <a
              key={each}
              class="button"
              href={withCondition(typed, 'state', each)}
              aria-current={each === state ? 'true' : undefined}
            >
              {each ? <StateMark state={each} /> : 'All'}
            </a>
          ))}
          {group && (
            <a
              class="button"
              href={withCondition(typed, 'group', '')}
              aria-label={`Remove the filter for the cause ${group}`}
            >
              one cause <Glyph name="close" size={12} />
            </a>
          )}
        </nav>
        <SavedViews />
        <ActOnAll query={typed} />
      </div>
    </div>
  )
}

/** The conditions of a form that was changed. */
interface Written {
  /** The address that it was changed over. */
  readonly over: string
  readonly query: URLSearchParams
}

/** What is in the fields of the form. The state and the cause have none. */
function conditionsOf(form: HTMLFormElement): [string, string][] {
  const given = new FormData(form)
  return conditions.flatMap((name) => {
    const value = String(given.get(name) ?? '').trim()
    return value === '' ? [] : [[name, timeOf(name, value)] as [string, string]]
  })
}

/** Conditions that are needed less often. */
function More({ query }: { readonly query: URLSearchParams }) {
  const isGiven = givenIn(query, ['resource', 'since', 'until', 'body']).length > 0
  return (
    <details class="more" open={isGiven}>
      <summary class="faint">More conditions</summary>
      <div class="bar">
        <label key={query.get('resource')} class="field condition">
          <span>Resource</span>
          <input
            name="resource"
            placeholder="the whole name"
            spellcheck={false}
            defaultValue={query.get('resource') ?? ''}
          />
        </label>
        {(['since', 'until'] as const).map((name) => (
          <label key={name + query.get(name)} class="field condition">
            <span>{name === 'since' ? 'Received since' : 'Received until'}</span>
            <input
              type="datetime-local"
              name={name}
              step="1"
              defaultValue={localTime(query.get(name) ?? '')}
            />
          </label>
        ))}
        {may('bodies:read') && (
          <label class="field condition grow" key={query.get('body')}>
            <span>A field of the body with its whole value, and another condition</span>
            <input
              name="body"
              placeholder="data.customer.name:Ada"
              spellcheck={false}
              defaultValue={query.get('body') ?? ''}
            />
          </label>
        )}
      </div>
    </details>
  )
}

function timeOf(name: string, value: string): string {
  return name === 'since' || name === 'until' ? timeOfForm(value) : value
}

/** Leads to the preview, with the conditions of this list. */
function ActOnAll({ query }: { readonly query: URLSearchParams }) {
  const isOpenToActs = actionNames.some((name) => may(bulkActions[name].right))
  if (!can('bulk') || !isOpenToActs || me.value?.isReadOnly) {
    return null
  }
  const missing = unusable(query)
  return missing.length > 0 ? (
    <p class="faint">
      Act on all that match: not possible by {missing.join(', ')}.
      {can('failures') && (
        <>
          {' '}
          Choose a cause under <a href={hrefOf('failures')}>Failures</a>.
        </>
      )}
    </p>
  ) : (
    <a
      class="button"
      href={hrefOf('operations', 'new', filterOf(query))}
      data-key="a"
      aria-keyshortcuts="a"
      // The list that one comes back to is the one that was acted on.
      onClick={() => go(hrefOf('events', undefined, filterOf(query)))}
    >
      Act on all that match… <kbd>a</kbd>
    </a>
  )
}
