/** Identifiers differ at their end: the prefix and the last six characters are enough for a column. */
export const shortId = (id: string) => (id.length > 13 ? id.replace(/^([a-z]+_).*(.{6})$/, '$1…$2') : id)
