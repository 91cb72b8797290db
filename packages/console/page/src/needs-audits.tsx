import { may } from './me.js'

/** Tells a person without the right that names and reasons are hidden. Otherwise they would seem to be unknown. */
export function NeedsAudits({ what }: { readonly what: string }) {
  return may('audits:read') ? null : <p class="faint">{what} needs the right audits:read.</p>
}
