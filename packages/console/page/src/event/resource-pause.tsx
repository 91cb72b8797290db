import { masked } from '../../../src/views/mask.js'
import type { PauseRow } from '../../../src/wire.js'
import { ActBar, type ActOffer } from '../act-bar.js'
import { can } from '../me.js'
import { pauses } from '../paused.js'
import { PausedBy, resume } from '../resume.js'

/** Whether the resource of an event is paused, by whom, and the switch. The receiver cannot pause a masked name. */
export function ResourcePause({ resource }: { readonly resource: string }) {
  const pause = pauses.value.find((each) => each.resource === resource)
  if (!can('flow') || resource.includes(masked)) {
    return null
  }
  return (
    <>
      {pause && <PausedBy of={pause} />}
      <ActBar what={`resource ${resource}`} acts={[pause ? resumeOf(pause) : pauseOf(resource)]} />
    </>
  )
}

const pauseOf = (resource: string): ActOffer => ({
  path: 'flow/pause',
  body: { resource },
  word: 'Pause this resource',
  title: `Pause resource ${resource}`,
  button: 'Pause this resource',
  action: 'consumption:pause',
  effect: 'Its events are still accepted, and wait. Handlers that are running continue.',
  done: 'Its events are accepted, and wait.',
})

const resumeOf = (pause: PauseRow): ActOffer => ({
  ...resume('this resource', pause),
  word: 'Resume this resource',
  title: `Resume resource ${pause.resource}`,
})
