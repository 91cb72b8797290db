/** What the sandbox keeps about itself, such as the time of a virtual clock. One value a name. */
export const settingTables = `
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID
`
