import { localTime, timeOfForm } from '../local-time.js'
import { hrefOf } from '../route.js'
import { filterOf } from './filter.js'
import { auditActions, wordsOf } from './words.js'

/** The conditions of the list of audits. */
export function FilterBar({ query }: { readonly query: URLSearchParams }) {
  const given = (name: string) => query.get(name) ?? ''
  return (
    <form
      key={String(query)}
      class="bar audit-filter"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const value = (name: string) => String(form.get(name) ?? '').trim()
        location.hash = hrefOf('audits', undefined, [
          ...['actor', 'action', 'event'].map((name) => [name, value(name)] as const),
          ...['since', 'until'].map((name) => [name, timeOfForm(value(name))] as const),
          ['run', given('run')],
          ['single', given('single')],
        ])
      }}
    >
      <label class="field condition">
        <span>Who</span>
        <input
          id="search"
          name="actor"
          placeholder="part of the name"
          spellcheck={false}
          defaultValue={given('actor')}
        />
      </label>
      <label class="field condition">
        <span>What</span>
        <select name="action">
          <option value="">everything</option>
          {auditActions.map((action) => (
            <option key={action} value={action} selected={action === given('action')}>
              {wordsOf(action)}
            </option>
          ))}
        </select>
      </label>
      <label class="field condition">
        <span>Event</span>
        <input name="event" placeholder="the whole id" spellcheck={false} defaultValue={given('event')} />
      </label>
      {(['since', 'until'] as const).map((name) => (
        <label key={name} class="field condition">
          <span>{name === 'since' ? 'Since' : 'Until'}</span>
          <input type="datetime-local" name={name} step="1" defaultValue={localTime(given(name))} />
        </label>
      ))}
      <button type="submit">Find</button>
      {filterOf(query).length > 0 && (
        <a class="button quiet" href={hrefOf('audits')}>
          Show all
        </a>
      )}
    </form>
  )
}
