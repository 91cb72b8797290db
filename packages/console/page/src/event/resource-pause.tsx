import { Ago } from 'webhook-inbox-ui'
import { masked } from '../../../src/views/mask.js'
import { ActBar, type ActOffer } from '../act-bar.js'
import { can } from '../me.js'
import { pauses } from '../paused.js'

/** Whether the resource of an event is paused, by whom, and the switch. The receiver cannot pause a masked name. */
export function ResourcePause({ resource }: { readonly resource: string }) {
  const pause = pauses.value.find((each) => each.resource === resource)
  if (!can('flow') || resource.includes(masked)) {
    return null
  }
  return (
    <>
      {pause && (
        <p>
          Paused{pause.actor !== undefined && ` by ${pause.actor}`}, <Ago at={pause.at} />
          {pause.reason !== undefined && `: ${pause.reason}`}
        </p>
      )}
      <ActBar what={`resource ${resource}`} acts={[pause ? resumeOf(resource) : pauseOf(resource)]} />
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

const resumeOf = (resource: string): ActOffer => ({
  path: 'flow/resume',
  body: { resource },
  word: 'Resume this resource',
  title: `Resume resource ${resource}`,
  button: 'Resume this resource',
  action: 'consumption:pause',
  done: 'Its events run again.',
})
