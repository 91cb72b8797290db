import { now } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { Discarded, InQuarantine as Quarantined } from '../../../src/wire.js'
import { InQuarantine } from '../event/in-quarantine.js'
import { EventLink } from '../event-link.js'
import { hrefOf } from '../route.js'
import { useView } from '../use-view.js'
import { filterOf } from './filter.js'

/** The conditions that compare the whole value. */
const whole: readonly (readonly [name: string, words: string])[] = [
  ['id', 'An id'],
  ['resource', 'A resource'],
  ['body', 'A field of the body'],
]

/** Under a list: where else to look for a text. If it is empty, also that a part of a value finds nothing. */
export function WholeValues({
  filter,
  isEmpty,
}: {
  readonly filter: URLSearchParams
  readonly isEmpty: boolean
}) {
  const given = whole.filter(([name]) => filter.has(name))
  const rest = filterOf(filter).filter(([name]) => !given.some(([each]) => each === name))
  const hour = new Date(Math.floor(now.value / 60_000) * 60_000 - 3_600_000).toISOString()
  const id = isEmpty && filter.get('id')
  const { value } = useView<Partial<Discarded & Quarantined>>(id ? `events/${pathPart(id)}` : undefined)
  const text = filter.get('text')
  if (given.length === 0 && text && !/\s/.test(text)) {
    return (
      <p>
        Only the text of the error was searched. Search {text} as{' '}
        <a href={hrefOf('events', undefined, [['id', text]])}>id</a> or{' '}
        <a href={hrefOf('events', undefined, [['resource', text]])}>resource</a>
      </p>
    )
  }
  return given.length === 0 || !isEmpty ? null : (
    <div class="stack tight whole-values">
      {value?.discard && (
        <p>
          Discarded: <EventLink id={id as string} />
        </p>
      )}
      {value && <InQuarantine of={value} />}
      {given.map(([name, words]) => (
        <p key={name}>{words} is found only by its whole value. A part of it finds nothing.</p>
      ))}
      <ul>
        {rest.length > 0 && (
          <li>
            <a href={hrefOf('events', undefined, rest)}>The other conditions without it</a>
          </li>
        )}
        <li>
          <a href={hrefOf('events', undefined, [['since', hour]])}>All events of the last hour</a>
        </li>
      </ul>
    </div>
  )
}
