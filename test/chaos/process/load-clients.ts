import { type Mode, modes, type ProcessSettings } from '../modes.js'

/** Loads the clients of a mode and connects none of them. */
export async function loadClients({ mode }: ProcessSettings): Promise<void> {
  const { store, queue }: Mode = modes[mode]
  await Promise.all([
    store === 'postgres' && import('pg'),
    (store === 'redis' || queue === 'bullmq') && import('ioredis'),
    queue === 'bullmq' && import('bullmq'),
    queue === 'pg-boss' && import('pg-boss'),
  ])
}
