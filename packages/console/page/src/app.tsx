import { useEffect } from 'preact/hooks'
import { Announcements, Connection, focusHeading, Glyph, Help, Note, ThemeButton } from 'webhook-inbox-ui'
import { AuditsPage } from './audits/page.js'
import { Away, asOf, lostWords } from './away.js'
import { EventsPage } from './events/page.js'
import { FailuresPage } from './failures/page.js'
import { keys } from './keys.js'
import { awaySince, connection } from './live.js'
import { can, may, me, refusal } from './me.js'
import { OpenDialog } from './open-dialog.js'
import { OperationsPage } from './operations/page.js'
import { OverviewPage } from './overview/page.js'
import { Paused } from './paused.js'
import { QuarantinePage } from './quarantine/page.js'
import { VerifyBar } from './quarantine/verify-bar.js'
import { hrefOf, type PageName, pages, route } from './route.js'
import { isOut } from './signed-out.js'
import { UndoBar } from './undo-bar.js'
import { whyLost } from './why-lost.js'

const views: Readonly<Record<PageName, () => preact.JSX.Element>> = {
  overview: OverviewPage,
  failures: FailuresPage,
  events: EventsPage,
  quarantine: QuarantinePage,
  operations: OperationsPage,
  audits: AuditsPage,
}

const rightOf = (page: PageName) =>
  page === 'overview' || page === 'audits' ? (`${page}:read` as const) : 'events:read'

/** Whether the store has what the page shows. */
const isThere = (page: PageName): boolean =>
  page === 'failures' || page === 'audits' ? can(page) : page === 'operations' ? can('bulk') : true

export function App() {
  return (
    <div class={asOf() ? 'app old' : 'app'}>
      <div>
        <button type="button" class="skip" onClick={focusHeading}>
          {route.value.id === undefined ? 'Skip to the page' : 'Skip to what is open'}
        </button>
        <TopBar />
        <Away />
      </div>
      <main class="columns">{me.value ? <Current /> : <Waiting />}</main>
      <Announcements />
      <VerifyBar />
      <UndoBar />
      <OpenDialog />
    </div>
  )
}

function Current() {
  const { page } = route.value
  const View = views[page]
  if (!isThere(page)) {
    return <p class="blank faint">The store of this receiver has no {page}.</p>
  }
  return may(rightOf(page)) ? (
    <View />
  ) : (
    <div class="blank">
      <Note outcome="rejected">You may not see this page. It needs the right {rightOf(page)}.</Note>
    </div>
  )
}

function Waiting() {
  // The banner says why it is not known yet. Only a signed-out person must act.
  if (refusal.value === undefined || (awaySince.value !== undefined && !isOut(whyLost.value))) {
    return <p class="blank faint">Asking what you may do…</p>
  }
  return (
    <div class="blank stack">
      <Note outcome="rejected">{refusal.value}</Note>
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  )
}

/** Where one is, who one is, and whether the page is current. */
function TopBar() {
  const { environment, isReadOnly, actor } = me.value ?? {}
  const { page } = route.value
  const [, title] = pages.find(([name]) => name === page) ?? []
  useEffect(() => {
    document.title = `${title} - Inbox console`
  }, [page])
  return (
    <header class="top">
      <a class="brand" href="#/overview">
        <Glyph name="box" size={18} /> Inbox
      </a>
      {/* A small screen has no room for all of them. */}
      <button type="button" class="open-pages" popoverTarget="pages" aria-label={`Page: ${title}`}>
        {title} <Glyph name="down" size={12} />
      </button>
      <nav class="tabs" id="pages" popover="auto" aria-label="Pages">
        {pages
          .filter(([name]) => may(rightOf(name)) && isThere(name))
          .map(([name, title]) => (
            <a
              key={name}
              class="button"
              href={hrefOf(name)}
              aria-current={page === name ? 'page' : undefined}
              onClick={({ currentTarget }) => currentTarget.parentElement?.hidePopover()}
            >
              {title}
            </a>
          ))}
        {/* The bar of a phone has no room for these. */}
        <div class="bar">
          {actor && <p class="faint grow">You are {actor}</p>}
          <ThemeButton />
        </div>
      </nav>
      <p class="who">
        {actor && <span class="faint name">{actor}</span>}
        {isReadOnly && <span class="badge">read-only</span>}
        {me.value && !isReadOnly && actor === undefined && (
          <span class="badge" title="Your rights permit no change.">
            view only
          </span>
        )}
        {environment && <strong class="badge">{environment}</strong>}
      </p>
      {may('overview:read') && <Paused />}
      {may('overview:read') && <Connection state={connection.value} lost={lostWords()} />}
      <ThemeButton />
      <Help keys={keys} />
    </header>
  )
}
