import { useEffect } from 'preact/hooks'
import { signal } from 'webhook-inbox-ui/signals'
import type { PauseRow } from '../../src/wire.js'
import { can } from './me.js'
import { hrefOf } from './route.js'
import { useView } from './use-view.js'

/** What is paused, as {@link Paused} read it. */
export const pauses = signal<readonly PauseRow[]>([])

/** On every page, because it explains why nothing runs. */
export function Paused() {
  const { value } = useView<readonly PauseRow[]>(can('flow') ? 'flow/pauses' : undefined)
  useEffect(() => {
    pauses.value = value ?? []
  }, [value])
  return value && value.length > 0 ? (
    <a class="badge paused" href={hrefOf('overview')}>
      paused
    </a>
  ) : null
}
