import { Glyph, Outcome } from 'webhook-inbox-ui'
import { isDrawerOpen } from '../make/panel.js'
import { amend, route } from '../route.js'
import { heldBack, isPaused, togglePause } from '../state/deliveries.js'
import { chosenVerdict, counts, fieldNames, withVerdict } from '../state/filter.js'
import { verdicts, verdictWords } from '../state/verdict.js'

/** The search, the pause, and a chip for each verdict that occurs. */
export function FilterBar() {
  return (
    <div class="filters stack tight">
      <div class="bar">
        <search class="search grow">
          <Glyph name="search" />
          <input
            id="search"
            type="search"
            aria-label="Search deliveries"
            title={`Fields: ${fieldNames.map((name) => `${name}:`).join(' ')}`}
            placeholder="verdict:failed type:transfer.* text"
            spellcheck={false}
            autocomplete="off"
            value={route.value.query}
            onInput={({ currentTarget }) => amend({ query: currentTarget.value })}
          />
          <kbd>/</kbd>
        </search>
        <button type="button" aria-pressed={isPaused.value} onClick={togglePause}>
          {isPaused.value ? `Go on${heldBack.value ? `, ${heldBack.value} new` : ''}` : 'Pause'} <kbd>p</kbd>
        </button>
        <button
          type="button"
          class="drawer-only"
          aria-expanded={isDrawerOpen.value}
          onClick={() => {
            isDrawerOpen.value = !isDrawerOpen.value
          }}
        >
          Make… <kbd>m</kbd>
        </button>
      </div>
      <Chips />
    </div>
  )
}

function Chips() {
  const { all, of } = counts.value
  const chosen = chosenVerdict.value
  const occurring = verdicts.filter((verdict) => of.has(verdict) || verdict === chosen)
  return (
    <fieldset class="chips" aria-label="Filter by verdict">
      <button type="button" aria-pressed={!chosen} onClick={() => amend({ query: withVerdict(undefined) })}>
        All {all.toLocaleString('en')}
      </button>
      {occurring.map((verdict) => (
        <button
          key={verdict}
          type="button"
          aria-pressed={chosen === verdict}
          onClick={() => amend({ query: withVerdict(chosen === verdict ? undefined : verdict) })}
        >
          <Outcome outcome={verdict}>
            {verdictWords[verdict]} {(of.get(verdict) ?? 0).toLocaleString('en')}
          </Outcome>
        </button>
      ))}
    </fieldset>
  )
}
