import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { bound } from 'webhook-inbox-ui'
import { chaos, type Faults, setChaos } from '../state/chaos.js'
import { config, shortUrl } from '../state/config.js'
import { attempted } from './attempted.js'
import { ProblemOf } from './problem.js'

type Amount = readonly [name: string, value: number]

/** Each fault with its label and the amount that it needs. */
const faults: readonly (readonly [name: string, words: string, amount?: Amount])[] = [
  ['latency', 'Wait 2 s first', ['seconds', 2]],
  ['drop', 'Do not send'],
  ['dropAnswer', 'Discard the response'],
  ['duplicate', 'Deliver twice'],
  ['reorder', 'Delay up to 5 s', ['windowSeconds', 5]],
  ['corruptSignature', 'Change signature'],
  ['skew', 't is 10 min old', ['seconds', -600]],
  ['truncate', 'Cut the body off'],
  ['trickle', 'Body takes 3 s', ['seconds', 3]],
  ['reset', 'Reset connection'],
]

const chances = [
  ['never', 0],
  ['one in ten', 0.1],
  ['half', 0.5],
  ['always', 1],
] as const

/** Lets deliveries go wrong, to all receivers or to one. */
export function ChaosForm() {
  const form = useMemo(attempted, [])
  const target = useSignal('')
  const settings = chaos.value
  const current: Faults = target.value ? (settings.subscriptions[target.value] ?? {}) : settings.all

  const put = (next: Faults) =>
    form.run(async () => {
      const one = { ...settings.subscriptions, [target.value]: next }
      await setChaos(target.value ? { ...settings, subscriptions: one } : { ...settings, all: next })
      return 'Chaos is changed, from the next attempt on.'
    })
  const set = (
    name: string,
    probability: number,
    [field, value]: readonly [string, number] | readonly [] = [],
  ) => {
    const { [name]: _, ...others } = current
    const fault = { probability, ...(field !== undefined && { [field]: value }) }
    void put(probability === 0 ? others : { ...others, [name]: fault })
  }

  return (
    <>
      <label class="field">
        <span>On the way to</span>
        <select {...bound(target)}>
          <option value="">every receiver</option>
          {config.value?.subscriptions.map(({ id, url }) => (
            <option key={id} value={id}>
              {shortUrl(url)}
            </option>
          ))}
        </select>
      </label>
      <ul class="stack tight">
        {faults.map(([name, words, amount]) => (
          <li key={name}>
            <label class="fault">
              <span>{words}</span>
              <select
                value={current[name]?.probability ?? 0}
                onChange={({ currentTarget }) => set(name, Number(currentTarget.value), amount)}
              >
                {options(current[name]?.probability).map(([text, value]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
          </li>
        ))}
      </ul>
      <ProblemOf error={form.error.value} />
      <button
        type="button"
        disabled={form.isBusy.value}
        onClick={() =>
          void form.run(async () => {
            await setChaos({ ...settings, all: {}, subscriptions: {} })
            return 'Nothing goes wrong on purpose now.'
          })
        }
      >
        Switch all chaos off
      </button>
    </>
  )
}

/** The usual chances, and one that another program has set. */
function options(set: number | undefined): readonly (readonly [string, number])[] {
  const isOther = set !== undefined && !chances.some(([, value]) => value === set)
  return isOther ? [...chances, [`${Math.round(set * 100)} %`, set]] : chances
}
