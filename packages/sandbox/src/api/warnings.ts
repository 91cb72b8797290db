import type { Context } from 'hono'
import type { Env } from './app.js'

/** The most that a header says. A body can have any number of odd keys. */
const longest = 500

/** Says in the header `Sandbox-Warning` what the sandbox accepts although it is probably a mistake. */
export function warn(c: Context<Env>, warning: string): void {
  c.set('warnings', [...(c.get('warnings') ?? []), warning])
}

/** The value of the header; `undefined` without a warning. */
export const warningHeader = (warnings: readonly string[] | undefined): string | undefined =>
  warnings
    ?.join('; ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, longest)
