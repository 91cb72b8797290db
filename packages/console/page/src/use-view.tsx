import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Note } from 'webhook-inbox-ui'
import { type CallError, read } from './call.js'
import { changes } from './live.js'

export interface View<Value> {
  /** The newest answer. It stays while the next request runs, and when that request fails, but not when it is gone (404). */
  readonly value?: Value
  readonly error?: string
  /** Reads it again. */
  readonly again: () => void
}

/**
 * Reads a view of the API, and again after each change of the inbox. A late answer to another path is dropped. Without a path it
 * reads nothing.
 */
export function useView<Value>(path: string | undefined): View<Value> {
  const [state, setState] = useState<{ path: string | undefined; value?: Value; error?: string }>({ path })
  const [turn, setTurn] = useState(0)
  const change = changes.value
  useEffect(() => {
    if (path === undefined) {
      return
    }
    let isCurrent = true
    read<Value>(path).then(
      (value) => isCurrent && setState({ path, value }),
      ({ status, message }: CallError) =>
        isCurrent &&
        setState((before) => ({
          ...(before.path === path && status !== 404 && before),
          path,
          error: message,
        })),
    )
    return () => {
      isCurrent = false
    }
  }, [path, change, turn])
  const known = state.path === path ? state : {}
  return { ...known, again: () => setTurn((before) => before + 1) }
}

/** Reads a view again at this pace, for as long as it changes without a mark of the server. */
export function useEvery(milliseconds: number, isChanging: boolean, again: () => void): void {
  useEffect(() => {
    if (!isChanging) {
      return
    }
    const timer = setInterval(again, milliseconds)
    return () => clearInterval(timer)
  }, [isChanging, milliseconds])
}

/** What a view shows: its value, that it is being read, or what failed and what to do. */
export function Shown<Value>({
  view,
  what,
  children,
}: {
  readonly view: View<Value>
  readonly what: string
  readonly children: (value: Value) => ComponentChildren
}) {
  const { value, error, again } = view
  return (
    <>
      {error !== undefined && (
        <div class="blank stack">
          <Note outcome="failed">
            <p>
              {value === undefined ? `Cannot read ${what}.` : `This is not current: cannot read ${what}.`}{' '}
              {error}
            </p>
          </Note>
          <button type="button" onClick={again}>
            Read again
          </button>
        </div>
      )}
      {value === undefined && error === undefined && <p class="blank faint">Reading {what}…</p>}
      {value !== undefined && children(value)}
    </>
  )
}
