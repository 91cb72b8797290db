import type { Group } from './command.js'

export const sandbox: Group = {
  summary: 'Start the service on this machine, or talk to a running one',
  fallback: 'start',
  commands: {
    start: {
      summary: 'Start it',
      load: async () => (await import('./sandbox/start.js')).start,
    },
    seeds: {
      summary: 'List its wallets and rails',
      load: async () => (await import('./sandbox/seeds.js')).seeds,
    },
    transfer: {
      summary: 'Create a transfer',
      load: async () => (await import('./sandbox/transfer.js')).transfer,
    },
    approve: {
      summary: 'Approve or reject a transfer that waits',
      load: async () => (await import('./sandbox/approve.js')).approve,
    },
    emit: {
      summary: 'Emit an event without a state change',
      load: async () => (await import('./sandbox/emit.js')).emit,
    },
    listen: {
      summary: 'Deliver to a receiver until Ctrl-C',
      load: async () => (await import('./sandbox/listen.js')).listen,
    },
    deliveries: {
      summary: 'List deliveries, or show one with each attempt',
      load: async () => (await import('./sandbox/deliveries.js')).deliveries,
    },
    replay: {
      summary: 'Deliver an event again',
      load: async () => (await import('./sandbox/replay.js')).replay,
    },
    clock: {
      summary: 'Show the clock, or advance it',
      load: async () => (await import('./sandbox/clock.js')).clock,
    },
    chaos: {
      summary: 'Show or set the faults of deliveries',
      load: async () => (await import('./sandbox/chaos.js')).chaos,
    },
    reset: {
      summary: 'Restore the initial state',
      load: async () => (await import('./sandbox/reset.js')).reset,
    },
    env: {
      summary: 'Print the variables that a program needs',
      load: async () => (await import('./sandbox/env.js')).env,
    },
  },
}
