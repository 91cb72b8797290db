import { useEffect, useState } from 'preact/hooks'
import type { EventRow, Page } from '../../../src/wire.js'
import { may } from '../me.js'
import { useView } from '../use-view.js'
import { doubtOf, useKnownTypes } from './known-types.js'

/** What a pause is of. */
export type Kind = 'all' | 'type' | 'resource'

/** Whether the typed name can be paused. */
export interface Judgment {
  /** Why it cannot be paused. */
  readonly problem?: string | undefined
  /** Why it may be wrong. A wrong name pauses nothing, and what was to stop runs on. But a name may be new. */
  readonly doubt?: string | undefined
  /** Names to choose from. */
  readonly known?: readonly string[]
}

export function useJudgment(kind: Kind, name: string): Judgment {
  const types = useKnownTypes(kind === 'type')
  const resource = useKnownResource(kind === 'resource' && lengthFits(name) ? name : undefined)
  if (kind === 'all') {
    return {}
  }
  if (!lengthFits(name)) {
    return { problem: `Write a ${kind} of 1 to 512 characters.`, known: types.types }
  }
  return kind === 'resource'
    ? resource
    : {
        known: types.types,
        problem: name.endsWith('*')
          ? 'Write one whole type. A pattern pauses nothing.'
          : types.isReading
            ? 'Reading the known types…'
            : undefined,
        doubt: doubtOf(name, types),
      }
}

/** The limits of the receiver. */
const lengthFits = (name: string) => name !== '' && name.length <= 512

/** Milliseconds without a key before the store is asked. */
const patience = 300

/** Whether an event of a resource is kept. */
function useKnownResource(resource: string | undefined): Judgment {
  const [asked, setAsked] = useState<string>()
  useEffect(() => {
    const timer = setTimeout(() => setAsked(resource), patience)
    return () => clearTimeout(timer)
  }, [resource])
  const isAsked = asked !== undefined && may('events:read')
  const query = new URLSearchParams({ resource: asked ?? '', limit: '1' })
  const { value, error } = useView<Page<EventRow>>(isAsked ? `events?${query}` : undefined)
  if (resource !== asked || (isAsked && value === undefined && error === undefined)) {
    return { problem: 'Looking for its events…' }
  }
  if (value === undefined) {
    return { doubt: 'Its events cannot be read. Check the spelling.' }
  }
  return value.rows.length > 0
    ? {}
    : { doubt: 'No event of this resource is known here. Check the spelling.' }
}

const labels = {
  type: 'Type, exactly as it arrives',
  resource: 'Resource, exactly as your receiver names it',
}

/** It suggests the names that are known. One that has not come yet can be paused as well. */
export function NameField({
  kind,
  name,
  known = [],
  onName,
}: {
  readonly kind: keyof typeof labels
  readonly name: string
  readonly known: readonly string[] | undefined
  readonly onName: (name: string) => void
}) {
  const list = 'known-names'
  return (
    <label class="field">
      <span>{labels[kind]}</span>
      <input
        class="mono"
        list={known.length > 0 ? list : undefined}
        value={name}
        required
        onInput={({ currentTarget }) => onName(currentTarget.value)}
      />
      <datalist id={list}>
        {known.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  )
}
