import type { ComponentChild, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Heading, TableHead } from './table-head.js'

interface WindowedRowsProps<Row> {
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Renders one `tr`. Every row has the same height. `index` counts from 0. */
  readonly render: (row: Row, index: number) => ComponentChild
  /** The element that scrolls. */
  readonly scroller: RefObject<HTMLElement>
}

/** Rows beyond the visible ones, so that a fast scroll shows no gap. */
const spare = 12
const assumedHeight = 30

interface WindowedTableProps<Row> extends WindowedRowsProps<Row> {
  readonly label: string
  readonly headings: readonly Heading[]
}

/** A table whose rows have one height. It renders the visible rows alone. */
export function WindowedTable<Row>({ label, headings, ...body }: WindowedTableProps<Row>) {
  return (
    <table class="list" aria-label={label} aria-rowcount={body.rows.length + 1}>
      <TableHead headings={headings} rowIndex={1} />
      <WindowedRows {...body} />
    </table>
  )
}

/** A `tbody` that renders the visible rows alone. What is in view stays in place when rows arrive above it. */
function WindowedRows<Row>({ rows, keyOf, render, scroller }: WindowedRowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const height = useRef(assumedHeight)
  const anchor = useRef<string>()
  const [top, setTop] = useState(0)
  const [room, setRoom] = useState(1000)

  const first = Math.max(0, Math.floor(top / height.current) - spare)
  const last = Math.min(rows.length, Math.ceil((top + room) / height.current) + spare)

  const measure = () => {
    const outer = scroller.current
    const inner = body.current
    if (!outer || !inner) {
      return
    }
    const above = outer.getBoundingClientRect().top - inner.getBoundingClientRect().top
    const row = inner.querySelector<HTMLElement>('tr:not(.spacer)')
    height.current = row?.offsetHeight || assumedHeight
    setTop(Math.max(0, above))
    setRoom(outer.clientHeight)
    const inView = rows[Math.floor(above / height.current)]
    anchor.current = above > 0 && inView !== undefined ? keyOf(inView) : undefined
  }

  useScrollAndResize(scroller, measure)

  const before = useRef(rows)
  useLayoutEffect(() => {
    const key = anchor.current
    if (key !== undefined && before.current !== rows) {
      const was = before.current.findIndex((row) => keyOf(row) === key)
      const is = rows.findIndex((row) => keyOf(row) === key)
      if (was >= 0 && is > was && scroller.current) {
        scroller.current.scrollTop += (is - was) * height.current
      }
    }
    before.current = rows
    measure()
  }, [rows])

  return (
    <tbody ref={body}>
      <Spacer height={first * height.current} />
      {rows.slice(first, last).map((row, at) => render(row, first + at))}
      <Spacer height={(rows.length - last) * height.current} />
    </tbody>
  )
}

/** Calls the newest `listener` each time that the element scrolls or changes its size. */
function useScrollAndResize(element: RefObject<HTMLElement>, listener: () => void): void {
  const newest = useRef(listener)
  newest.current = listener
  useEffect(() => {
    const target = element.current
    if (!target) {
      return
    }
    const notify = () => newest.current()
    target.addEventListener('scroll', notify, { passive: true })
    const observer = new ResizeObserver(notify)
    observer.observe(target)
    return () => {
      target.removeEventListener('scroll', notify)
      observer.disconnect()
    }
  }, [element])
}

const Spacer = ({ height }: { readonly height: number }) =>
  height > 0 ? <tr class="spacer" style={{ height: `${height}px` }} /> : null
