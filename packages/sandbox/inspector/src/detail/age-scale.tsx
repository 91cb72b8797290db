import { tolerance } from './flaw.js'

/** Where `t` lies within the tolerance of a receiver. `age` in seconds; negative where it is ahead. */
export function AgeScale({ age }: { readonly age: number }) {
  if (!Number.isFinite(age)) {
    return null
  }
  const place = Math.min(1, Math.max(0, 0.5 + age / tolerance / 2.5))
  const isInside = Math.abs(age) <= tolerance
  const label = `Sent ${Math.abs(age)} s ${age < 0 ? 'before' : 'after'} t, ${isInside ? 'inside' : 'outside'} the tolerance of ${tolerance} s`
  return (
    <>
      <svg class="age" width="100%" height="20" role="img" aria-label={label}>
        <rect class="age-beyond" x="0" y="8" width="100%" height="4" rx="2" />
        <rect class="age-within" x="10%" y="7" width="80%" height="6" rx="3" />
        <circle data-outcome={isInside ? 'good' : 'bad'} cx={`${2 + place * 96}%`} cy="10" r="5" />
      </svg>
      <p class="faint age-words">
        <span>{tolerance} s ahead</span>
        <span>{tolerance} s old</span>
      </p>
    </>
  )
}
