import { Announcements, Connection, Glyph, Note, ThemeButton } from 'webhook-inbox-ui'
import { AuditsPage } from './audits.js'
import { EventsPage } from './events.js'
import { connection } from './live.js'
import { may, me, readMe, refusal } from './me.js'
import { OverviewPage } from './overview.js'
import { QuarantinePage } from './quarantine.js'
import { hrefOf, type PageName, pages, route } from './route.js'

const views: Readonly<Record<PageName, () => preact.JSX.Element>> = {
  overview: OverviewPage,
  events: EventsPage,
  quarantine: QuarantinePage,
  audits: AuditsPage,
}

const rights = {
  overview: 'overview:read',
  events: 'events:read',
  quarantine: 'events:read',
  audits: 'audits:read',
} as const

export function App() {
  return (
    <div class="app">
      <TopBar />
      <main class="columns">{me.value ? <Current /> : <Waiting />}</main>
      <Announcements />
    </div>
  )
}

function Current() {
  const { page } = route.value
  const View = views[page]
  return may(rights[page]) ? (
    <View />
  ) : (
    <div class="blank">
      <Note outcome="rejected">You may not see this page. It needs the right {rights[page]}.</Note>
    </div>
  )
}

function Waiting() {
  if (refusal.value === undefined) {
    return <p class="blank faint">Asking what you may do…</p>
  }
  return (
    <div class="blank stack">
      <Note outcome="rejected">{refusal.value}</Note>
      <button type="button" onClick={() => void readMe()}>
        Ask again
      </button>
    </div>
  )
}

/** Where one is, who one is, and whether the page is current. */
function TopBar() {
  const { environment, isReadOnly, actor } = me.value ?? {}
  return (
    <header class="top">
      <a class="brand" href="#/overview">
        <Glyph name="box" size={18} /> Inbox
      </a>
      {environment && <strong class="badge">{environment}</strong>}
      {isReadOnly && <span class="badge">read-only</span>}
      <nav class="tabs grow" aria-label="Pages">
        {pages
          .filter(([name]) => may(rights[name]))
          .map(([name, title]) => (
            <a
              key={name}
              class="button"
              href={hrefOf(name)}
              aria-current={route.value.page === name ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
      </nav>
      {actor && <span class="faint who">{actor}</span>}
      {may('overview:read') && <Connection state={connection.value} lost="The program does not answer." />}
      <ThemeButton />
    </header>
  )
}
