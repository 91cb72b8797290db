import assert from 'node:assert/strict'
import type { Inbox } from '../../store/inbox.js'
import type { Store } from '../../store/store.js'
import type { Law, Laws, SuiteOptions } from '../laws.js'
import { inboxOf } from './stored-event.js'

/** What an inbox may lack. */
export type InboxCapability =
  | 'auditLog'
  | 'bulk'
  | 'failures'
  | 'flow'
  | 'readQuarantined'
  | 'statistics'
  | 'take'

/** A capability of the inbox under test. Fails if it is absent. */
export function capabilityOf<Tx, Name extends InboxCapability>(
  store: Store<Tx>,
  name: Name,
): NonNullable<Inbox<Tx>[Name]> {
  const found = inboxOf(store)[name]
  assert.ok(found, `the inbox has no ${name}; if that is intended, add lacks: ['${name}'] to the options`)
  return found
}

/** A law that says nothing about an inbox without this capability. */
export const needs = <Subject>(name: InboxCapability, law: Law<Subject>): Law<Subject> =>
  Object.assign((trial: Parameters<typeof law>[0]) => law(trial), { needs: [...(law.needs ?? []), name] })

export const allNeed = <Subject>(name: InboxCapability, laws: Laws<Subject>): Laws<Subject> =>
  Object.fromEntries(Object.entries(laws).map(([title, law]) => [title, needs(name, law)]))

/** The laws to skip for an inbox without these capabilities. Throws for a name that no law needs. */
export function skipsOf<Subject>(
  laws: Laws<Subject>,
  lacks: readonly InboxCapability[],
): NonNullable<SuiteOptions['skip']> {
  return lacks.map((name) => {
    const tests = Object.keys(laws).filter((title) => laws[title]?.needs?.includes(name))
    assert.ok(tests.length > 0, `lacks: there is no capability ${name}`)
    return { reason: `the inbox has no ${name}`, tests }
  })
}

/** Keeps `lacks` true: a capability that is added later must be tested. */
export const absenceLaws = <Tx>(lacks: readonly InboxCapability[]): Laws<Store<Tx>> => ({
  async 'the inbox has no capability that lacks names'({ make }) {
    const inbox = inboxOf(await make())
    assert.deepEqual(
      lacks.filter((name) => inbox[name]),
      [],
    )
  },
})
