import type { Mode } from '../modes.js'
import type { World } from '../world.js'

/** A fault that happens in production. */
export interface Nemesis {
  readonly name: string
  /** What it breaks. Two nemeses that break the same thing do not strike concurrently. */
  readonly breaks: 'processes' | 'servers'
  appliesTo(mode: Mode): boolean
  /** Breaks something and repairs it. Resolves after the repair. */
  strike(world: World): Promise<void>
}

export const always = () => true
export const onPostgres = ({ store }: Mode) => store === 'postgres'
export const onRedis = ({ store, queue }: Mode) => store === 'redis' || queue === 'bullmq'
