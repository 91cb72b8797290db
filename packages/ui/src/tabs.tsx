import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface Tab {
  readonly name: string
  readonly label: ComponentChildren
}

interface TabsProps {
  readonly tabs: readonly Tab[]
  readonly chosen: string
  readonly label: string
  readonly onChoose: (name: string) => void
}

/** Tabs over one panel. The arrow keys go from tab to tab. */
export function Tabs({ tabs, chosen, label, onChoose }: TabsProps) {
  const step = (event: KeyboardEvent) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!move) {
      return
    }
    event.preventDefault()
    const at = tabs.findIndex(({ name }) => name === chosen)
    const next = tabs[(at + move + tabs.length) % tabs.length]
    if (next) {
      onChoose(next.name)
      document.getElementById(`tab-${next.name}`)?.focus()
    }
  }
  const list = useRef<HTMLDivElement>(null)
  // On a phone the tabs scroll from side to side. The page itself stays where it is.
  useEffect(() => {
    const outer = list.current
    const tab = outer?.querySelector('[aria-selected=true]')
    if (outer && tab) {
      const [row, own] = [outer.getBoundingClientRect(), tab.getBoundingClientRect()]
      outer.scrollLeft += own.left - row.left - (row.width - own.width) / 2
    }
  }, [chosen])
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={label}>
      {tabs.map(({ name, label: text }) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          aria-controls="tab-panel"
          tabIndex={name === chosen ? 0 : -1}
          onKeyDown={step}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

/** What the chosen tab shows. */
export function TabPanel({
  name,
  children,
}: {
  readonly name: string
  readonly children: ComponentChildren
}) {
  return (
    <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${name}`} class="stack">
      {children}
    </div>
  )
}
