import type { Group } from './command.js'

export const inbox: Group = {
  summary: 'Operate the durable inbox of a program',
  commands: {
    list: {
      summary: 'List events',
      load: async () => (await import('./inbox/list.js')).list,
    },
    show: {
      summary: 'Show an event or a quarantined delivery',
      load: async () => (await import('./inbox/show.js')).show,
    },
    dead: {
      summary: 'List dead events',
      load: async () => (await import('./inbox/list.js')).dead,
    },
    failures: {
      summary: 'List failures by their cause',
      load: async () => (await import('./inbox/failures.js')).failures,
    },
    quarantine: {
      summary: 'List deliveries that no retry can help',
      load: async () => (await import('./inbox/quarantine.js')).quarantine,
    },
    replay: {
      summary: 'Run one event again, or all that match',
      load: async () => (await import('./inbox/replay.js')).replay,
    },
    'replay-edited': {
      summary: 'Run a changed copy of an event',
      load: async () => (await import('./inbox/replay-edited.js')).replayEdited,
    },
    'verify-again': {
      summary: 'Check quarantined deliveries again',
      load: async () => (await import('./inbox/verify-again.js')).verifyAgain,
    },
    discard: {
      summary: 'Delete a dead event or a quarantined delivery',
      load: async () => (await import('./inbox/discard.js')).discard,
    },
    plan: {
      summary: 'Select many events for one change',
      load: async () => (await import('./inbox/plan.js')).plan,
    },
    plans: {
      summary: 'List plans',
      load: async () => (await import('./inbox/plans.js')).plans,
    },
    run: {
      summary: 'Change the events of a plan in the background',
      load: async () => (await import('./inbox/run.js')).run,
    },
    runs: {
      summary: 'List bulk runs',
      load: async () => (await import('./inbox/runs.js')).runs,
    },
    steer: {
      summary: 'Pause, resume or cancel a bulk run',
      load: async () => (await import('./inbox/runs.js')).steer,
    },
    undo: {
      summary: 'Restore what was discarded',
      load: async () => (await import('./inbox/undo.js')).undo,
    },
    audits: {
      summary: 'List what operators did',
      load: async () => (await import('./inbox/audits.js')).audits,
    },
    pause: {
      summary: 'Hold back a type, a resource or the endpoint',
      load: async () => (await import('./inbox/pause.js')).pause,
    },
    resume: {
      summary: 'End a pause',
      load: async () => (await import('./inbox/pause.js')).resume,
    },
    explain: {
      summary: 'Say why an event does not run',
      load: async () => (await import('./inbox/explain.js')).explain,
    },
    health: {
      summary: 'Count events, for health checks',
      load: async () => (await import('./inbox/health.js')).health,
    },
    prune: {
      summary: 'Delete what is older than the retention',
      load: async () => (await import('./inbox/prune.js')).prune,
    },
    migrate: {
      summary: 'Upgrade the tables of a Postgres store',
      load: async () => (await import('./inbox/migrate.js')).migrate,
    },
  },
}
