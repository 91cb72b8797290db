import type { Context } from 'hono'
import type { Env } from './app.js'

/** The maximum number of warnings in a header, because a body can have any number of unusual keys. */
const longest = 500

/** The header `Sandbox-Warning` names parts of the request that were accepted but are probably a mistake. */
export function warn(c: Context<Env>, warning: string): void {
  c.set('warnings', [...(c.get('warnings') ?? []), warning])
}

/** The value of the header; `undefined` without a warning. */
export const warningHeader = (warnings: readonly string[] | undefined): string | undefined =>
  warnings
    ?.join('; ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, longest)
