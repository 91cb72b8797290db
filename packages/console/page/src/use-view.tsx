import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Note } from 'webhook-inbox-ui'
import { type CallError, read } from './call.js'
import { awaySince, changes } from './live.js'

export interface View<Value> {
  /** The newest answer. It stays while the next request runs, and when that request fails, but not when it is gone (404). */
  readonly value?: Value
  readonly error?: string
  /** Reads it again. */
  readonly again: () => void
}

/**
 * Reads a view of the API, and again after each change of the inbox. It asks one question at a time: a change during a question
 * causes one more after it. So a slow database gets no more work, and its answers are shown. A late answer to another path is
 * dropped. Without a path it reads nothing.
 */
export function useView<Value>(path: string | undefined): View<Value> {
  const [state, setState] = useState<{ path: string | undefined; value?: Value; error?: string }>({ path })
  const again = useRef(() => {})
  const change = changes.value
  useEffect(() => {
    let isCurrent = path !== undefined
    let isReading = false
    let isOld = false
    again.current = async () => {
      isOld = true
      if (isReading) {
        return
      }
      isReading = true
      while (isOld && isCurrent) {
        isOld = false
        const next = await read<Value>(path as string).then(
          (value) => () => ({ path, value }),
          ({ status, message }: CallError) =>
            (before: typeof state) => ({
              ...(before.path === path && status !== 404 && before),
              path,
              error: message,
            }),
        )
        if (isCurrent) {
          setState(next)
        }
      }
      isReading = false
    }
    return () => {
      isCurrent = false
    }
  }, [path])
  useEffect(() => again.current(), [path, change])
  const known = state.path === path ? state : {}
  return { ...known, again: () => again.current() }
}

/** Reads a view again each second, for as long as it changes without a mark of the server. */
export function useEverySecond({ again }: View<unknown>, isChanging: boolean): void {
  useEffect(() => {
    const timer = isChanging ? setInterval(again, 1000) : undefined
    return () => clearInterval(timer)
  }, [isChanging])
}

/**
 * What a view shows: its value, that it is being read, or what failed and what to do. While the page is not connected, its banner
 * says that the value is old and why.
 */
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
      {error !== undefined && (value === undefined || awaySince.value === undefined) && (
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
