import type { ComponentChildren } from 'preact'

/** Each outcome has a shape of its own, so that it reads without color. Drawn on a grid of 16 by 16. */
const ring = <circle cx="8" cy="8" r="6" />
const shapes = {
  accepted: [ring, <path d="m5.2 8.2 2 2 3.6-4" />],
  acknowledged: [ring, <circle cx="8" cy="8" r="2" fill="currentColor" />],
  canceled: [ring, <path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4" />],
  dead: [
    <path d="M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5z" fill="currentColor" />,
    <path d="m6 6 4 4m0-4-4 4" stroke="var(--paper)" />,
  ],
  duplicate: [
    <rect x="2" y="2" width="8" height="8" rx="1.5" />,
    <rect x="6" y="6" width="8" height="8" rx="1.5" fill="currentColor" />,
  ],
  failed: <path d="M8 2.2 14.3 13.4H1.7zM8 6.5v3m0 1.8v.4" />,
  good: <path d="m3 8.5 3.2 3.2L13 4.8" />,
  ignored: [<circle cx="8" cy="8" r="6" stroke-dasharray="2.2 1.57" />, <path d="M5.5 8h5" />],
  in_progress: [ring, <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />],
  pending: [ring, <path d="M8 4.5V8l2.4 1.6" />],
  processed: [
    <circle cx="8" cy="8" r="6.5" fill="currentColor" />,
    <path d="m5.2 8.2 2 2 3.6-4" stroke="var(--paper)" />,
  ],
  quarantined: [
    <path d="M5 2.5H2.5v11H5m6-11h2.5v11H11" />,
    <circle cx="8" cy="8" r="2" fill="currentColor" />,
  ],
  rejected: [ring, <path d="m3.8 12.2 8.4-8.4" />],

  box: <path d="M2 9.5 4 3h8l2 6.5v3.5H2zm0 0h3.5l1 1.8h3l1-1.8H14" />,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  copy: [
    <rect x="6" y="6" width="8" height="8" rx="1.5" />,
    <path d="M3.5 10H2V3.5A1.5 1.5 0 0 1 3.5 2H10v1.5" />,
  ],
  down: <path d="m4 6 4 4 4-4" />,
  search: [<circle cx="7" cy="7" r="4.5" />, <path d="m10.5 10.5 3.5 3.5" />],
  theme: [ring, <path d="M8 2a6 6 0 0 0 0 12z" fill="currentColor" />],
} satisfies Record<string, ComponentChildren>

/** Shapes that one page alone has. */
type OwnName = 'bad' | 'created' | 'exhausted' | 'unreachable'

export type GlyphName = keyof typeof shapes | OwnName

const known: Partial<Record<GlyphName, ComponentChildren>> = shapes

/** A page that shows such a name adds its shapes first. */
export const addShapes = (own: Record<OwnName, ComponentChildren>): void => void Object.assign(known, own)

/** A small drawing beside a word. It says nothing that the word does not say. */
export function Glyph({ name, size = 14 }: { readonly name: GlyphName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {known[name]}
    </svg>
  )
}
