import { useEffect } from 'preact/hooks'
import { signal } from 'webhook-inbox-ui/signals'
import type { PauseRow } from '../../src/wire.js'
import { isWhole } from './holds.js'
import { can } from './me.js'
import { hrefOf } from './route.js'
import { useView } from './use-view.js'

/** What is paused, as {@link Paused} read it. */
export const pauses = signal<readonly PauseRow[]>([])

/** On every page, because it explains why nothing runs. */
export function Paused() {
  const { value } = useView<readonly PauseRow[]>(can('flow') ? 'flow/pauses' : undefined)
  useEffect(() => {
    // What holds everything back comes first.
    pauses.value = (value ?? []).toSorted((a, b) => Number(isWhole(b)) - Number(isWhole(a)))
  }, [value])
  if (!value?.length) {
    return null
  }
  const isAll = value.some(isWhole)
  return (
    <a
      class={isAll ? 'badge paused all' : 'badge paused'}
      href={hrefOf('overview')}
      title={isAll ? 'Everything is paused' : undefined}
    >
      paused
    </a>
  )
}
