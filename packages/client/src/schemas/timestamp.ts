import * as z from 'zod'

/** RFC 3339 in UTC, such as `2026-01-02T03:04:05.678Z`. */
export const Timestamp = z.iso
  .datetime()
  .meta({ description: 'RFC 3339 in UTC.', examples: ['2026-01-02T03:04:05.678Z'] })
