import { useState } from 'preact/hooks'
import { announce, clip, Dialog, Glyph, keep, Menu, readKept } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'
import { go, hrefOf, route } from '../route.js'
import { filterOf } from './filter.js'
import { filterWords } from './filter-words.js'

interface SavedView {
  readonly name: string
  /** The query of its address. */
  readonly query: string
}

const key = 'inbox-views'
const saved = signal<readonly SavedView[]>(readSaved())

/** What this browser has saved. Anything else under the key counts as nothing. */
function readSaved(): SavedView[] {
  try {
    const views: unknown = JSON.parse(readKept(key) ?? '[]')
    return (views as SavedView[]).filter(
      ({ name, query }) => typeof name === 'string' && typeof query === 'string',
    )
  } catch {
    return []
  }
}

function save(views: readonly SavedView[]): void {
  saved.value = views
  keep(key, JSON.stringify(views))
}

/** Views with a name. They stay in this browser; a link is for everybody. */
export function SavedViews() {
  const [isNaming, setIsNaming] = useState(false)
  return (
    <>
      <Menu label="Views" name="views">
        {saved.value.map(({ name, query }) => (
          <button
            key={name}
            type="button"
            onClick={() => go(hrefOf('events', undefined, new URLSearchParams(query)))}
          >
            {name}
          </button>
        ))}
        <button type="button" onClick={() => setIsNaming(true)}>
          Save or remove…
        </button>
        <button type="button" onClick={() => void clip(location.href, 'the link of this view')}>
          Copy the link
        </button>
      </Menu>
      {isNaming && <Naming onClose={() => setIsNaming(false)} />}
    </>
  )
}

function Naming({ onClose }: { readonly onClose: () => void }) {
  const filter = filterOf(route.value.query)
  const [name, setName] = useState(filterWords(filter))
  const query = String(new URLSearchParams(filter))
  const store = (event: Event) => {
    event.preventDefault()
    const others = saved.value.filter((view) => view.name !== name.trim())
    save([...others, { name: name.trim(), query }])
    announce(`Saved ${name.trim()} in this browser.`)
    onClose()
  }
  return (
    <Dialog title="Views of this browser" onClose={onClose}>
      <form class="stack" onSubmit={store}>
        <label class="field">
          <span>A name for this view</span>
          <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
        <div class="bar">
          <button type="submit" class="primary" disabled={name.trim() === ''}>
            Save
          </button>
          {name.trim() === '' && <span class="faint">Write a name first.</span>}
        </div>
      </form>
      {saved.value.length > 0 && (
        <ul class="stack tight" aria-label="Saved views">
          {saved.value.map((view) => (
            <li key={view.name} class="bar">
              <span class="grow">{view.name}</span>
              <button
                type="button"
                class="quiet square"
                aria-label={`Remove ${view.name}`}
                onClick={() => save(saved.value.filter((other) => other !== view))}
              >
                <Glyph name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
