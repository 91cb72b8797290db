/** Options of a console whose operator may do everything. */
export const all = {
  authorize: () => true,
  actor: () => 'operator',
  logger: { info() {}, warn() {}, error() {} },
}
