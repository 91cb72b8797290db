import { Glyph, type GlyphName, Outcome } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'
import { waiting } from '../state/bank.js'
import { faultsOn } from '../state/chaos.js'
import { clockKind } from '../state/clock.js'
import { Approvals } from './approvals.js'
import { ChaosForm } from './chaos.js'
import { ClockForm } from './clock.js'
import { EmitForm } from './emit.js'
import { Fold } from './fold.js'
import { Reset } from './reset.js'
import { TransferForm } from './transfer.js'

/** On narrow screens the panel is a drawer. */
export const isDrawerOpen = signal(false)

/** What a person can make happen. */
export function MakePanel() {
  const waits = waiting.value.length
  return (
    <section class={isDrawerOpen.value ? 'make open' : 'make'} aria-label="Make something happen">
      <div class="bar make-head">
        <h2>Make something happen</h2>
        <button
          type="button"
          class="quiet square end drawer-only"
          aria-label="Close"
          onClick={() => {
            isDrawerOpen.value = false
          }}
        >
          <Glyph name="close" />
        </button>
      </div>
      <Fold title="Transfer on a rail" isOpen>
        <TransferForm />
      </Fold>
      <Fold title="Emit an event">
        <EmitForm />
      </Fold>
      <Fold
        title="Approvals"
        aside={<Count outcome="pending" count={waits} words={waits === 1 ? 'waits' : 'wait'} />}
      >
        <Approvals />
      </Fold>
      <Fold title="Clock" aside={<span class="faint">{clockKind.value}</span>}>
        <ClockForm />
      </Fold>
      <Fold title="Chaos" aside={<Count outcome="failed" count={faultsOn()} words="on" />}>
        <ChaosForm />
      </Fold>
      <div class="inner">
        <Reset />
      </div>
    </section>
  )
}

interface CountProps {
  readonly outcome: GlyphName
  readonly count: number
  readonly words: string
}

const Count = ({ outcome, count, words }: CountProps) =>
  count > 0 ? (
    <Outcome outcome={outcome} isPill>
      {count} {words}
    </Outcome>
  ) : null
