/** A time of a form is local; the address holds it in UTC, so that it means the same elsewhere. */
export const timeOfForm = (value: string): string => (value === '' ? '' : new Date(value).toISOString())

/** What a field for a local time shows; blank for anything but a time. */
export function localTime(value: string): string {
  const time = new Date(value)
  return Number.isNaN(time.getTime())
    ? ''
    : new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
