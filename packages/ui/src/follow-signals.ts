import { Fragment, type FunctionComponent, options, type VNode } from 'preact'
import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { effect, signal } from './signals.js'

/** A signal that belongs to one component. */
export const useSignal = <Value>(initial: Value) => useState(() => signal(initial))[0]

/**
 * Makes every component render again when a signal changes that it has read. `@preact/signals` does that too. A third of it
 * binds signals to texts and attributes, which no page of ours does.
 */
export function followSignals(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    before?.(vnode)
    const { type } = vnode as VNode<object>
    if (typeof type === 'function' && type !== Fragment) {
      vnode.type = follow(type as FunctionComponent)
    }
  }
}

/** One for each component. Another one would be another component to Preact, which forgets the state of the first. */
const followed = new Map<FunctionComponent, FunctionComponent>()

function follow(View: FunctionComponent): FunctionComponent {
  const known = followed.get(View)
  if (known) {
    return known
  }
  const Followed: FunctionComponent = (props) => {
    const [, renderAgain] = useReducer((count: number) => count + 1, 0)
    const forget = useRef(() => {})
    useEffect(() => () => forget.current(), [])
    forget.current()
    let output: ReturnType<FunctionComponent>
    let isRendered = false
    // It runs at once, and again when a signal changes that the component has read.
    forget.current = effect(() => {
      if (isRendered) {
        renderAgain(undefined)
      } else {
        output = View(props)
        isRendered = true
      }
    })
    return output
  }
  followed.set(View, Followed)
  // Preact tells of a component once more when it renders it again.
  followed.set(Followed, Followed)
  return Followed
}
