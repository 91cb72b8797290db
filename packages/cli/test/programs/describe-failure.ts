export const describeFailure = (id: string): string => `the ledger refuses ${id}`
