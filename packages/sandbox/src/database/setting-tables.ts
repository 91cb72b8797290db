/** The settings of the sandbox, such as the time of a virtual clock. One value for each name. */
export const settingTables = `
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID
`
