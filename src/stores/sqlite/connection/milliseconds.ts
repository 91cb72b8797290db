/** At least one, and within what a date can represent. */
export const milliseconds = (seconds: number) => Math.min(Math.max(1, Math.ceil(seconds * 1000)), 2 ** 48)
