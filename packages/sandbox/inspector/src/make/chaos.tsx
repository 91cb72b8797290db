import { useMemo } from 'preact/hooks'
import { bound, useSignal } from 'webhook-inbox-ui'
import { Choice } from '../choice.js'
import { chaos, type Faults, setChaos } from '../state/chaos.js'
import { config, shortUrl } from '../state/config.js'
import { attempted } from './attempted.js'
import { ProblemOf } from './problem.js'

type Amount = readonly [name: string, value: number]

type Fault = readonly [name: string, words: string, amount?: Amount]

/** Each fault with its label and the amount that it needs. */
const faults: readonly Fault[] = [
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

  const subscriptions = config.value?.subscriptions ?? []
  const receivers = [
    ['', 'every receiver'] as const,
    ...subscriptions.map(({ id, url }) => [id, shortUrl(url)] as const),
  ]

  const put = (next: Faults) =>
    form.run(async () => {
      const one = { ...settings.subscriptions, [target.value]: next }
      await setChaos(target.value ? { ...settings, subscriptions: one } : { ...settings, all: next })
      return 'Chaos is changed, from the next attempt on.'
    })

  return (
    <>
      <Choice label="On the way to" options={receivers} {...bound(target)} />
      <ul class="stack tight">
        {faults.map((fault) => (
          <li key={fault[0]}>
            <FaultChoice fault={fault} current={current} onChange={(next) => void put(next)} />
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

interface FaultChoiceProps {
  readonly fault: Fault
  readonly current: Faults
  readonly onChange: (next: Faults) => void
}

/** How often one fault happens. */
function FaultChoice({ fault: [name, words, amount], current, onChange }: FaultChoiceProps) {
  const { [name]: own, ...others } = current
  const set = (probability: number) =>
    onChange(
      probability === 0
        ? others
        : { ...others, [name]: { probability, ...(amount && { [amount[0]]: amount[1] }) } },
    )
  return (
    <label class="fault">
      <span>{words}</span>
      <select
        value={own?.probability ?? 0}
        onChange={({ currentTarget }) => set(Number(currentTarget.value))}
      >
        {options(own?.probability).map(([text, value]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The usual chances, and one that another program has set. */
function options(set: number | undefined): readonly (readonly [string, number])[] {
  const isOther = set !== undefined && !chances.some(([, value]) => value === set)
  return isOther ? [...chances, [`${Math.round(set * 100)} %`, set]] : chances
}
