import { eventually } from '../../src/testing/laws.js'
import type { LawFaults } from './queue-fault.js'
import {
  ignoresResources,
  oneAtATime,
  reads,
  runsBackwards,
  runsTwice,
  takesNoJob,
} from './queue-fault-kinds.js'

/** Faults that the laws of the order within one resource, and of jobs whose process was killed find. */
export const orderFaults: Record<string, LawFaults> = {
  'events of one resource run one at a time, in order, across consumers': {
    found: {
      'two run at once': { ...ignoresResources, says: 'two of one resource ran at once' },
      'the later ones run backwards': { ...runsBackwards(), ...oneAtATime() },
      'one job runs at a time': { ...oneAtATime(), says: 'resources waited for each other' },
    },
  },
  'a failing event blocks only the later events of its resource, until it is done': {
    found: {
      'it blocks nothing': { ...ignoresResources, says: 'it did not wait' },
      'the later ones run backwards': runsBackwards(),
      'to wait is a failure': reads(({ state, failures }) => ({
        failures: failures + (state === 'done' ? 1 : 0),
      })),
    },
  },
  'a dead event blocks no other, and a replayed event precedes later ones': {
    found: {
      'the replayed one does not wait': {
        ...ignoresResources,
        says: 'the replayed one ran beside the one under way',
      },
      'an event runs twice': runsTwice(1),
    },
  },
  'a hundred waiting events block no other resource, and run when the first is done': {
    found: { 'they run beside the first': ignoresResources, 'one runs twice': runsTwice(3) },
    never: { 'they block others': { settings: (given) => ({ ...given, concurrency: 1 }) } },
    faster: 3,
  },
  'another consumer runs the job of a killed one': {
    found: {
      'it is done, and nobody ran it': {
        ...takesNoJob,
        death: async ({ once }, event) =>
          void eventually(async () => {
            const durations = { leaseSeconds: 2, workSeconds: 1, waitSeconds: 0, retentionSeconds: 3600 }
            const { state } = await once({ ...event, durations }, async () => {})
            return state === 'done' || undefined
          }),
      },
    },
    never: { 'nobody runs it': takesNoJob },
    faster: 3,
  },
  'events behind the event of a killed consumer run afterwards, in order': {
    found: {
      'they do not wait': { ...ignoresResources, says: 'one was run beside the one that the victim holds' },
      'they run backwards': runsBackwards(),
    },
  },
  'a job whose consumer was killed three times is still retried': {
    found: { 'it is dead': { death: ({ inbox }, { key }) => inbox.markDead(key, 'lost') } },
    never: { 'nobody runs it': takesNoJob },
    faster: 3,
  },
}
