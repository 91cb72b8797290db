import { storedCodes as codes } from '../../../../src/codes.js'

interface Entry {
  readonly fact: string
  readonly cause: string
  readonly fix: string
}

/** Only a number brings this code to the quarantine. An event whose data does not fit its schema is dead. */
const ofDeliveries: Readonly<Record<string, Entry>> = {
  invalid_data: {
    fact: 'JavaScript cannot represent a number of the event exactly',
    cause: 'the sender sends a number that is too large or has too many digits',
    fix: "ask the sender to send such numbers as strings; if a rounded number is good enough, set inexactNumbers to 'round' and verify the delivery again",
  },
}

/** The fact behind a code as a sentence; `undefined` for a code of another version. */
export const factOf = (code: string, isDelivery = false): string | undefined => {
  const fact = entryOf(code, isDelivery)?.fact
  return fact && `${fact.charAt(0).toUpperCase()}${fact.slice(1)}`
}

function entryOf(code: string, isDelivery: boolean): Entry | undefined {
  const entries: Readonly<Record<string, Entry>> = isDelivery ? { ...codes, ...ofDeliveries } : codes
  return Object.hasOwn(entries, code) ? entries[code] : undefined
}

/** Why a failure of this code usually happens, and what to do about it. */
export function Advice({
  code,
  isDelivery = false,
}: {
  readonly code: string
  /** Whether it is of a quarantined delivery. */
  readonly isDelivery?: boolean
}) {
  const entry = entryOf(code, isDelivery)
  return entry ? (
    <dl class="life">
      <dt>Likely cause</dt>
      <dd>{entry.cause}</dd>
      <dt>What to do</dt>
      <dd>{entry.fix}</dd>
    </dl>
  ) : null
}
