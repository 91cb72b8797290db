/** The form of a time in every record: RFC 3339 in UTC, with milliseconds. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString()
