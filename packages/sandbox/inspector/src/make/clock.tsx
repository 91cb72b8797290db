import { useMemo } from 'preact/hooks'
import { now, zonedTime } from 'webhook-inbox-ui'
import { call } from '../api/call.js'
import { clockKind } from '../state/clock.js'
import { attempted } from './attempted.js'
import { ProblemOf } from './problem.js'

const steps = [
  ['10 s', 10],
  ['5 min', 300],
  ['2 h', 7200],
  ['24 h', 86_400],
] as const

/** Moves the clock on: retries and late settlements fall due on the way. */
export function ClockForm() {
  const form = useMemo(attempted, [])
  const advance = (name: string, advanceSeconds: number) =>
    form.run(async () => {
      await call('POST', '/_sandbox/clock', { advanceSeconds })
      return `The clock is ${name} further. What was due has happened.`
    })
  return (
    <>
      <p>
        {zonedTime(new Date(now.value).toISOString())}
        <span class="faint">
          {' '}
          {clockKind.value === 'virtual' ? 'stands still until you advance it' : 'runs'}
        </span>
      </p>
      <fieldset class="bar plain" aria-label="Advance the clock by">
        {steps.map(([name, seconds]) => (
          <button
            key={name}
            type="button"
            disabled={form.isBusy.value}
            onClick={() => void advance(name, seconds)}
          >
            + {name}
          </button>
        ))}
      </fieldset>
      <ProblemOf error={form.error.value} />
    </>
  )
}
