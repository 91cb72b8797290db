import type { Mode } from '../modes.js'
import type { World } from '../world.js'

/** Something that happens to programs in production. */
export interface Nemesis {
  readonly name: string
  /** What it breaks: two that break the same do not strike at once. */
  readonly breaks: 'processes' | 'servers'
  appliesTo(mode: Mode): boolean
  /** Breaks something and mends it again; resolves when it is mended. */
  strike(world: World): Promise<void>
}

export const always = () => true
export const onPostgres = ({ store }: Mode) => store === 'postgres'
export const onRedis = ({ store, queue }: Mode) => store === 'redis' || queue === 'bullmq'
