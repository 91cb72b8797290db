/** A timestamp as RFC 3339, whatever the driver makes of timestamps. */
export const rfc3339 = (timestamp: string): string =>
  `to_char(${timestamp} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** A column of timestamps, selected as {@link rfc3339} under its own name. */
export const timeColumn = (column: string): string =>
  `${rfc3339(column)} AS ${column.slice(column.lastIndexOf('.') + 1)}`
